/** Plans a probe of a worker, and tells what became of one (V3). */
import {
  enrolledSettingsOf,
  LedgerError,
  probeMomentEvent,
  probeRecordOf,
  probeViewOf,
  type Enrolment,
  type ProbeStepFact,
  type ProbeView,
} from '@a2a-ledger/domain'
import type { Applied } from './applied.ts'
import { catchUp, reach } from './catch-up.ts'
import type { FactStore, FeedReader, LedgerClient, Prober, WorkerRecord } from './ports.ts'

export interface ProbePorts {
  readonly feed: Pick<FeedReader, 'head'>
  readonly store: FactStore
  readonly ledger: LedgerClient
  readonly applied: Applied
  readonly prober: Prober
  /** Called once there is something to do. */
  readonly wakeProbing: () => void
}

/** What an operator wants of one probe; what is left out is as enrolled. */
export interface ProbeRequest {
  readonly message?: string | undefined
  readonly park?: boolean | undefined
  readonly retentionSeconds?: number | undefined
}

/**
 * The probe is planned, recorded and applied; it is done by whichever process comes first.
 *
 * Errors: throws `worker_not_found`, `worker_not_enrolled` without an address to call, `probe_disabled` where the
 * enrolment says that the worker must not be probed, `ledger_unavailable`, `not_caught_up`.
 */
export async function startProbe(ports: ProbePorts, workerId: string, request: ProbeRequest): Promise<{ readonly probeId: string }> {
  await catchUp(ports.feed, ports.applied)
  const worker = (await ports.store.worker(workerId)).content
  if (worker === undefined) throw new LedgerError('worker_not_found', 'No event names this worker, and it was never enrolled.')
  const settings = settingsOf(worker)
  if (settings.interface === undefined) {
    throw new LedgerError('worker_not_enrolled', 'Enrol it with `interface.url` first: a probe has to know where the worker is.')
  }
  if (settings.probe?.enabled === false) {
    throw new LedgerError('probe_disabled', 'The worker is enrolled with `probe.enabled` false; enrol it with true first.')
  }
  const probeId = ports.prober.newId()
  const position = await recordPlan(ports, workerId, probeId, settings, request)
  await reach(ports.applied, position)
  ports.wakeProbing()
  return { probeId }
}

/** Where the worker is, and how it may be probed, as enrolled. */
export const settingsOf = ({ workerId, facts }: WorkerRecord): Pick<Enrolment, 'interface' | 'probe'> =>
  enrolledSettingsOf({ workerId, facts, losses: [] })

/** The plan is in the ledger; who records it second finds the first one there. */
export async function recordPlan(
  { ledger, prober }: Pick<ProbePorts, 'ledger' | 'prober'>,
  workerId: string,
  probeId: string,
  settings: Pick<Enrolment, 'probe'>,
  request: ProbeRequest,
): Promise<number> {
  const message = request.message ?? settings.probe?.message
  const plan = prober.planFor({
    park: request.park ?? settings.probe?.park ?? false,
    retentionMs: (request.retentionSeconds ?? settings.probe?.retentionSeconds ?? 0) * 1_000,
    ...(message !== undefined && { message }),
  })
  const outcome = await ledger.append(probeMomentEvent(workerId, { phase: 'planned', probeId, plan }))
  if (outcome.outcome === 'recorded' || outcome.outcome === 'duplicate') return outcome.position
  throw new LedgerError('internal', `The ledger does not take the plan of a probe: ${outcome.outcome}.`)
}

/** Errors: throws `probe_not_found`. */
export async function readProbe(store: FactStore, workerId: string, probeId: string): Promise<ProbeView> {
  const record = probeRecordOf(entriesOf(await store.probe(workerId, probeId)))
  if (record === undefined) throw new LedgerError('probe_not_found', 'This worker was never probed under this id.')
  return probeViewOf(record)
}

/** Recorded moments as a probe reads them. */
export const entriesOf = (facts: readonly ProbeStepFact[]) => facts.map(({ position, atMs, moment: data }) => ({ position, atMs, data }))
