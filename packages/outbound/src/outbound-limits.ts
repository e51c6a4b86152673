/** Bounds of one call. Times are in milliseconds; `Infinity` is none, but for the connection. */
export interface OutboundLimits {
  /** From the first look-up of the name to the connection, TLS included. */
  readonly connectTimeoutMs: number
  /** From the request to the headers of the answer. */
  readonly headersTimeoutMs: number
  /** Between two pieces of a body. */
  readonly idleTimeoutMs: number
  /** For the whole answer, redirects included; a stream of events is exempt once it has begun. */
  readonly totalTimeoutMs: number
  /** Of the decoded body; in a stream of events, of one event. */
  readonly bodyBytesMax: number
  readonly redirectsMax: number
}

export const defaultLimits: OutboundLimits = {
  connectTimeoutMs: 5_000,
  headersTimeoutMs: 60_000,
  idleTimeoutMs: 60_000,
  totalTimeoutMs: 120_000,
  bodyBytesMax: 8 * 1024 * 1024,
  redirectsMax: 3,
}
