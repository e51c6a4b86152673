/**
 * Enrols a worker or changes its policy (V2): recorded in the ledger, since decisions rest on it.
 *
 * The event's id is a seal of the content and the position of the enrolment before it. So the same
 * request twice is one event, and back to an earlier policy is a new one.
 */
import { LedgerError, workerCorrelationId, type Enrolment } from '@a2a-ledger/domain'
import type { Applied } from './applied.ts'
import { catchUp, reach } from './catch-up.ts'
import type { FactStore, FeedReader, LedgerClient, Seal } from './ports.ts'

export interface EnrolPorts {
  readonly feed: Pick<FeedReader, 'head'>
  readonly store: FactStore
  readonly ledger: LedgerClient
  readonly applied: Applied
  readonly seal: Seal
}

const source = 'urn:a2a-ledger:reconciler'

/** L10: header values may be credentials. The ledger itself overwrites the push token, and keeps its hash. */
function withoutHeaderValues(enrolment: Enrolment): Enrolment {
  const { interface: address } = enrolment
  if (address?.headers === undefined) return enrolment
  const hidden = Object.entries(address.headers).map(([name, value]) => [name, '*'.repeat(value.length)])
  return { ...enrolment, interface: { ...address, headers: Object.fromEntries(hidden) } }
}

/**
 * The policy is recorded and applied.
 *
 * Idempotent while no other enrolment of that worker came in between.
 * Errors: throws `parameter_invalid`, `ledger_unavailable`, `not_caught_up`.
 */
export async function enrolWorker(ports: EnrolPorts, workerId: string, enrolment: Enrolment): Promise<void> {
  await catchUp(ports.feed, ports.applied)
  const before = (await ports.store.worker(workerId)).content?.enrolment
  const content = await ports.seal(JSON.stringify([workerId, enrolment]))
  if (before?.eventId.startsWith(`${content}.`)) return
  const outcome = await ports.ledger.append({
    attributes: {
      specversion: '1.0',
      id: `${content}.${before?.position ?? 0}`,
      source,
      type: 'reconciler.worker-enrolled',
      correlationid: workerCorrelationId(workerId),
      workerid: workerId,
    },
    data: withoutHeaderValues(enrolment),
  })
  switch (outcome.outcome) {
    case 'recorded':
    case 'duplicate':
      return reach(ports.applied, outcome.position)
    case 'quarantined':
    case 'rejected':
      throw new LedgerError('parameter_invalid', `The ledger does not take this enrolment: ${outcome.detail}`)
    case 'conflict':
    case 'stale':
      throw new LedgerError('internal', `An enrolment of this deployment cannot be ${outcome.outcome}.`)
  }
}
