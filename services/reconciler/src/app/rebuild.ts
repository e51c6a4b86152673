/**
 * Folds a ledger once more, beside what is in use (P7), and tells whether that says the same.
 *
 * Nothing is decided meanwhile: verdicts are in the ledger, and a replay finds them there.
 */
import { deriveWorker, explainTask, taskView } from '@a2a-ledger/domain'
import { analysisOf, type Fold } from './analyse.ts'
import { applyNext, leastOf, type Place } from './apply-from-ledger.ts'
import { amongOthers, loadFamily } from './load-family.ts'
import type { PartitionStore } from './partition-store.ts'
import type { FactStore, FeedReader, LedgerIdentity, Log } from './ports.ts'
import { settleQueued } from './settle-tasks.ts'

export interface RebuildPorts {
  readonly feed: FeedReader
  /** Beside the one in use; holds what was folded so far. */
  readonly store: FactStore
  readonly slots: PartitionStore
  readonly fold: Fold
  readonly log: Log
}

const batchCountMax = 1_000

/**
 * Applies what the store lacks up to the head of the ledger, and settles it. Answers how far it is.
 *
 * `places`: all there are.
 */
export async function foldToHead({ feed, store, slots, fold, log }: RebuildPorts, places: readonly Place[]): Promise<number> {
  const ports = { feed, store: slots, codec: fold.codec, log, onApplied: () => undefined }
  let applied: LedgerIdentity | undefined
  for (;;) {
    const before = leastOf(places)
    const { head, ledger, through } = await applyNext(ports, places, { partitionCount: places.length, applied, countMax: batchCountMax })
    if (through === before) break
    applied = ledger
    log.info({ position: through, head }, 'folded')
  }
  const ledger = { observe: decidesNothing, append: decidesNothing }
  await settleQueued({ feed, store, ledger, fold, log })
  return leastOf(places)
}

const decidesNothing = async (): Promise<never> => {
  throw new Error('A rebuild records nothing.')
}

export interface Comparison {
  readonly taskCount: number
  readonly workerCount: number
  /** The first view that differs; absent: every byte is the same. */
  readonly difference?: { readonly of: string; readonly live: string; readonly rebuilt: string }
}

const pageCount = 100

/**
 * Compares every view of `live` with what `rebuilt` makes of the same facts at the same moment.
 *
 * Precondition: both are applied and settled up to the same position, and stay there.
 */
export async function compareViews(live: FactStore, rebuilt: FactStore, fold: Fold): Promise<Comparison> {
  let taskCount = 0
  for (let after = 0; ; ) {
    const [liveRows, rows] = [await live.listTasks({}, after, pageCount), await rebuilt.listTasks({}, after, pageCount)]
    const ids = rows.map(({ correlationId }) => correlationId)
    const here = await rebuilt.tasksAmongOthers(ids)
    const there = await live.tasksAmongOthers(ids)
    const show = async (store: FactStore, lookups: typeof here, id: string): Promise<unknown> => {
      const lookup = lookups.content.get(id)
      if (lookup?.outcome !== 'found') return lookup
      const analysis = analysisOf(lookup.record, here.asOfMs, fold)
      const family = await loadFamily({ store: amongOthers(store), fold }, analysis, 1)
      return { view: taskView(analysis, new Map(), family), rootCause: explainTask(analysis, family) }
    }
    let difference = differenceOf('the list of tasks', ids, liveRows.map(({ correlationId }) => correlationId))
    for (const id of difference === undefined ? ids : []) {
      difference ??= differenceOf(`task ${id}`, await show(rebuilt, here, id), await show(live, there, id))
    }
    taskCount += ids.length
    if (difference !== undefined) return { taskCount, workerCount: 0, difference }
    const last = rows.at(-1)
    if (last === undefined) break
    after = last.firstPosition
  }
  let workerCount = 0
  for (let after = 0; ; ) {
    const [there, here] = [await live.listWorkers(after, pageCount), await rebuilt.listWorkers(after, pageCount)]
    const show = (page: typeof here): readonly unknown[] =>
      page.content.map(({ workerId, facts, evidence }) => deriveWorker({ workerId, facts, evidence, asOfMs: here.asOfMs }))
    const [theirs, ours] = [show(there), show(here)]
    const difference =
      differenceOf('the list of workers', ours.length, theirs.length) ??
      ours.map((view, at) => differenceOf(`worker ${here.content[at]?.workerId}`, view, theirs[at])).find((found) => found !== undefined)
    workerCount += ours.length
    if (difference !== undefined) return { taskCount, workerCount, difference }
    const last = here.content.at(-1)
    if (last === undefined) return { taskCount, workerCount }
    after = last.firstPosition
  }
}

function differenceOf(of: string, rebuilt: unknown, live: unknown): Comparison['difference'] {
  const [ours, theirs] = [JSON.stringify(rebuilt), JSON.stringify(live)]
  return ours === theirs ? undefined : { of, live: theirs, rebuilt: ours }
}
