import { parseTimestampMs } from '../a2a/timestamp.ts'

const form =
  /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/**
 * Milliseconds since the epoch of an event's `time`, or `undefined` when it is not RFC 3339.
 *
 * Stricter than what is understood of a worker's timestamps: a witness follows the contract, and
 * its time needs an offset and seconds.
 */
export const rfc3339Ms = (text: string): number | undefined =>
  form.test(text) ? parseTimestampMs(text).ms : undefined
