/** A call whose whole answer is needed before anything can be done with it: a card. */
import { callFailureOf, type AnswerHead, type CallFailure, type PassedCall } from '@a2a-ledger/outbound'
import { keepBody, type KeptBody } from '@a2a-ledger/witness/recording'
import type { Edge } from './edge.ts'
import { headerIn } from './raw-headers.ts'

export type Collected =
  | { readonly outcome: 'answered'; readonly head: AnswerHead; readonly body: KeptBody }
  | { readonly outcome: 'failed'; readonly failure: CallFailure; readonly error: unknown }

/** Never throws. `signal`: the caller went away. */
export function collectAnswer(edge: Edge, call: PassedCall, signal?: AbortSignal): Promise<Collected> {
  return new Promise((resolve) => {
    const failed = (error: unknown): void => resolve({ outcome: 'failed', failure: callFailureOf(error), error })
    const keeper = keepBody(edge.budget)
    let answer: AnswerHead | undefined
    try {
      const control = edge.passOn(call, {
        head: (head) => (answer = head),
        data: keeper.add,
        end: () => {
          const head = answer
          if (head === undefined) return failed(new Error('The answer has no head.'))
          void keeper.finish(headerIn(head.headers, 'content-encoding')).then((body) => resolve({ outcome: 'answered', head, body }), failed)
        },
        failed: (error) => {
          keeper.drop()
          failed(error)
        },
      })
      signal?.addEventListener('abort', () => {
        control.abort()
        keeper.drop()
        failed(signal.reason)
      })
    } catch (error) {
      failed(error)
    }
  })
}

/** The body as text; `undefined` where it was not kept or is no UTF-8. */
export async function decodedText({ body }: Collected & { outcome: 'answered' }): Promise<string | undefined> {
  if ('missing' in body) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body.bytes)
  } catch {
    return undefined
  }
}
