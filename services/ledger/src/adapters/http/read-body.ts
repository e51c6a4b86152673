/**
 * The bytes of a request body.
 *
 * A body that is too large is read to its end, within reason, and thrown away: a client that is
 * still sending when the connection closes never sees the answer that tells it why.
 */
import { LedgerError } from '@a2a-ledger/domain'
import { bodyBytesMax } from './schemas.ts'

const discardedBytesMax = 8 * bodyBytesMax

export async function readBody(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  let chunks: Buffer[] = []
  let byteCount = 0
  for await (const chunk of stream) {
    byteCount += chunk.length
    if (byteCount <= bodyBytesMax) chunks.push(chunk)
    else chunks = []
    if (byteCount > discardedBytesMax) break
  }
  if (byteCount > bodyBytesMax) {
    throw new LedgerError('body_too_large', 'Send at most 8 MiB; a batch can be split.')
  }
  return Buffer.concat(chunks)
}
