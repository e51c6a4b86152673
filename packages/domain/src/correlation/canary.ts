/**
 * The logical tasks of probes. Their ids have a form of their own, so that whoever meets a canary – in its
 * metadata, in a push, in a listing – can tell it from a customer's work.
 */

const prefix = 'urn:a2a-ledger:canary:'

/** The correlation ID of the canaries of one probe. */
export const canaryCorrelationId = (probeId: string): string => `${prefix}${probeId}`

/** True for the work of a probe. */
export const isCanaryCorrelationId = (correlationId: string): boolean => correlationId.startsWith(prefix)
