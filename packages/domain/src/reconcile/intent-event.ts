/** The CloudEvents by which decisions are acted on (V8): each has an id that makes it be recorded once. */
import { dispatchIntentDataSchema, type DispatchIntentData } from '../event/dispatch-intent.ts'
import { dispatchSettledDataSchema, type DispatchSettledData } from '../event/dispatch-settled.ts'
import { verdictApprovedDataSchema, type VerdictApprovedData } from '../event/verdict-approved.ts'
import type { Codec } from '../codec.ts'
import { approvalIdOf, intentIdOf, settledIdOf } from './intent.ts'

interface OwnEvent<Type extends string, Data> {
  readonly attributes: {
    readonly specversion: '1.0'
    readonly id: string
    readonly source: 'urn:a2a-ledger:reconciler'
    readonly type: Type
    readonly correlationid: string
    readonly workerid?: string
  }
  readonly data: Data
}

const own = <Type extends string, Data>(type: Type, id: string, correlationid: string, data: Data): OwnEvent<Type, Data> => ({
  attributes: { specversion: '1.0', id, source: 'urn:a2a-ledger:reconciler', type, correlationid },
  data,
})

/** Of all that record the same try at one decision the first has it. */
export const intentEvent = (
  data: DispatchIntentData,
  correlationId: string,
  codec: Codec,
): OwnEvent<'reconciler.dispatch-intent', DispatchIntentData> => {
  const id = intentIdOf(data.decisionId, data.n, codec)
  const event = own('reconciler.dispatch-intent', id, correlationId, dispatchIntentDataSchema.parse(data))
  return { ...event, attributes: { ...event.attributes, workerid: data.workerId } }
}

/** Of an intent the first word stands. */
export const settledEvent = (
  data: DispatchSettledData,
  correlationId: string,
  codec: Codec,
): OwnEvent<'reconciler.dispatch-settled', DispatchSettledData> =>
  own('reconciler.dispatch-settled', settledIdOf(data.intentId, codec), correlationId, dispatchSettledDataSchema.parse(data))

/** Of a decision the first word of a person stands. */
export const approvalEvent = (
  data: VerdictApprovedData,
  correlationId: string,
  codec: Codec,
): OwnEvent<'reconciler.verdict-approved', VerdictApprovedData> =>
  own('reconciler.verdict-approved', approvalIdOf(data.decisionId, codec), correlationId, verdictApprovedDataSchema.parse(data))
