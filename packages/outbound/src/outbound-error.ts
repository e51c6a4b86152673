/** Why a call was not made, or was ended, by the rules of this package. */
export type OutboundRefusal =
  /** Neither http nor https. */
  | 'scheme_refused'
  /** A user or a password in a URL. */
  | 'credentials_refused'
  /** Every address of the host is one that must not be called. */
  | 'address_refused'
  /** A redirect that would carry the call, or what goes with it, where it must not go. */
  | 'redirect_refused'
  | 'redirects_exceeded'
  | 'body_too_large'
  | 'deadline_exceeded'

export class OutboundError extends Error {
  readonly code: OutboundRefusal

  constructor(code: OutboundRefusal, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'OutboundError'
    this.code = code
  }
}

/** The first `OutboundError` of an error, its causes and the errors that it gathers. */
export function outboundErrorIn(error: unknown): OutboundError | undefined {
  for (const each of errorsIn(error)) if (each instanceof OutboundError) return each
  return undefined
}

/** Nothing of the call leaves this machine; what is refused later was sent. */
const isBefore: Readonly<Record<OutboundRefusal, boolean>> = {
  scheme_refused: true,
  credentials_refused: true,
  address_refused: true,
  redirect_refused: false,
  redirects_exceeded: false,
  body_too_large: false,
  deadline_exceeded: false,
}

/** The refusal by which a call was never made; `undefined` where the error is another one, so that something may have been sent. */
export function refusalBeforeCall(error: unknown): OutboundError | undefined {
  const refusal = outboundErrorIn(error)
  return refusal !== undefined && isBefore[refusal.code] ? refusal : undefined
}

const depthMax = 8

/** An error, its causes, and the errors it gathers: from the outside in. */
export function* errorsIn(error: unknown, depth = 0): Generator<Error> {
  if (!(error instanceof Error) || depth > depthMax) return
  yield error
  if (error instanceof AggregateError) for (const each of error.errors) yield* errorsIn(each, depth + 1)
  yield* errorsIn(error.cause, depth + 1)
}
