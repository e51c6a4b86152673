/** Views of workers, derived when read from what was said about each and what its tasks say. */
import { deriveWorker, LedgerError, type WorkerView } from '@a2a-ledger/domain'
import type { FactStore, PushRepeats } from './ports.ts'

export interface WorkerPorts {
  readonly store: FactStore
  readonly pushRepeats: PushRepeats
}

/** Errors: throws `worker_not_found`. */
export async function readWorker({ store, pushRepeats }: WorkerPorts, workerId: string): Promise<WorkerView> {
  const [{ content, asOfMs }, repeats] = await Promise.all([store.worker(workerId), pushRepeats.of([workerId])])
  if (content === undefined) throw new LedgerError('worker_not_found', 'No event names this worker, and it was never enrolled.')
  return deriveWorker({ workerId, facts: content.facts, evidence: content.evidence, repeatedPushes: repeats.get(workerId) ?? 0, asOfMs })
}

export interface WorkerPage {
  readonly workers: readonly WorkerView[]
  readonly next: number | null
}

/** Workers in the order in which they were first named. */
export async function listWorkers({ store, pushRepeats }: WorkerPorts, after: number, limit: number): Promise<WorkerPage> {
  const { content, asOfMs } = await store.listWorkers(after, limit + 1)
  const page = content.slice(0, limit)
  const repeats = await pushRepeats.of(page.map(({ workerId }) => workerId))
  return {
    workers: page.map(({ workerId, facts, evidence }) => deriveWorker({ workerId, facts, evidence, repeatedPushes: repeats.get(workerId) ?? 0, asOfMs })),
    next: content.length > limit ? (page.at(-1)?.firstPosition ?? null) : null,
  }
}
