/** Enrols a worker or changes its policy (V2). */
import { workerCorrelationId, type Enrolment } from '@a2a-ledger/domain'
import { catchUp } from './catch-up.ts'
import type { FactStore } from './ports.ts'
import { recordPolicy, type PolicyPorts } from './record-policy.ts'

export interface EnrolPorts extends PolicyPorts {
  readonly store: FactStore
}

/** L10: header values may be credentials (ADR 83). The ledger itself overwrites the push token, and keeps its hash. */
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
  const position = await recordPolicy(ports, {
    content: [workerId, enrolment],
    before: (await ports.store.worker(workerId)).content?.enrolment,
    attributes: { type: 'reconciler.worker-enrolled', correlationid: workerCorrelationId(workerId), workerid: workerId },
    data: withoutHeaderValues(enrolment),
  })
  // An enrolment that names an address replaces all of it, headers or none.
  const { interface: address } = enrolment
  if (address !== undefined) await ports.store.keepSecretHeaders(workerId, position, address.headers ?? {})
}
