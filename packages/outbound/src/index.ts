/** Calls to addresses that others named: only where they may go, and within bounds. */
export { isCidr } from './address-policy.ts'
export { type CallFailure, callFailureOf } from './call-failure.ts'
export { createOutbound, type Outbound, type OutboundOptions } from './create-outbound.ts'
export { OutboundError, type OutboundRefusal, refusalBeforeCall } from './outbound-error.ts'
export type { OutboundLimits } from './outbound-limits.ts'
export type { AnswerHandler, AnswerHead, PassedCall, PassedCallControl, RawHeaders } from './pass-on.ts'
