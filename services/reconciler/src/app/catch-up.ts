import { LedgerError } from '@a2a-ledger/domain'
import type { Applied } from './applied.ts'
import type { FeedReader } from './ports.ts'

/** How long a caller who just recorded something waits for it to be applied. */
const catchUpTimeoutMs = 5_000

/** Everything up to `position` is applied. Errors: throws `not_caught_up`. */
export async function reach(applied: Applied, position: number, timeoutMs: number = catchUpTimeoutMs): Promise<void> {
  if (await applied.reaches(position, timeoutMs)) return
  throw new LedgerError('not_caught_up', `Position ${position} was not applied within ${timeoutMs} ms. Ask again.`)
}

/** Everything that is recorded at this moment is applied; answers the head. Errors: throws `not_caught_up`. */
export async function catchUp(feed: Pick<FeedReader, 'head'>, applied: Applied): Promise<number> {
  const head = await feed.head()
  await reach(applied, head)
  return head
}
