/** The piece of work that a caller is about, carried along with everything it awaits. */
export interface Work {
  /** The client's durable name of the logical task. */
  readonly correlationId?: string
  /** The logical task on whose behalf this one is sent. */
  readonly parentCorrelationId?: string
  /** The state that the caller itself believes in. */
  readonly lastObserved?: string
  readonly traceparent?: string
  readonly tracestate?: string
}
