/**
 * The body of a call: whole, while it is as large as an event may be and there is memory for it;
 * else a stream that begins with what came of it.
 */
import { bodyBytesMax, type ByteBudget } from '@a2a-ledger/witness/recording'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

export type RequestBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'whole'; readonly bytes: Buffer; readonly release: () => void }
  | { readonly kind: 'stream'; readonly stream: Readable; readonly because: 'too_large' | 'overloaded' }
  /** The caller went away before the end of it. */
  | { readonly kind: 'aborted' }

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

export async function readRequestBody(request: IncomingMessage, budget: ByteBudget): Promise<RequestBody> {
  if (!hasBody(request)) return { kind: 'none' }
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > bodyBytesMax) return { kind: 'stream', stream: request, because: 'too_large' }
  const chunks: Buffer[] = []
  let taken = 0
  const giveBack = (): void => budget.giveBack(taken)
  const rest = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  try {
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
      const isTooLarge = taken + next.value.length > bodyBytesMax
      if (isTooLarge || !budget.take(next.value.length)) {
        giveBack()
        return { kind: 'stream', stream: Readable.from(continued([...chunks, next.value], rest), { objectMode: false }), because: isTooLarge ? 'too_large' : 'overloaded' }
      }
      taken += next.value.length
      chunks.push(next.value)
    }
  } catch {
    giveBack()
    return { kind: 'aborted' }
  }
  return { kind: 'whole', bytes: Buffer.concat(chunks), release: giveBack }
}

async function* continued(first: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield* first
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value
}
