/** What the headers and the address of a call tell of it. */
import type { CallerHeaders } from './call-scope.ts'
import type { CallContext } from './watch-call.ts'

/** Names the logical task of a call; taken off before the call goes on. */
export const correlationHeader = 'a2a-ledger-correlation-id'

export interface CallHead {
  readonly workerId: string
  readonly method: string
  /** Behind the worker's address, without query. */
  readonly path: string
  /** As on the wire, or empty. */
  readonly query: string
  /** The first value of a header, by its name in lower case. */
  readonly header: (name: string) => string | undefined
}

/** `scopeOf`: who made the call, as an opaque word; `undefined` where no word may be given. */
export function callContextOf(
  { workerId, method, path, query, header }: CallHead,
  scopeOf: (caller: CallerHeaders, tenant: string | undefined) => string | undefined,
): CallContext {
  const caller = {
    authorization: header('authorization'),
    cookie: header('cookie'),
    apiKeys: ['x-api-key', 'api-key'].flatMap((name) => header(name) ?? []),
  }
  const correlationId = header(correlationHeader)
  return {
    workerId,
    method,
    path,
    // One that nobody may choose would send the whole event to quarantine.
    correlationId: correlationId !== undefined && mayBeChosen(correlationId) ? correlationId : undefined,
    protocolVersion: header('a2a-version') ?? new URLSearchParams(query).get('A2A-Version') ?? undefined,
    traceparent: header('traceparent'),
    tracestate: header('tracestate'),
    scope: (tenant) => scopeOf(caller, tenant),
  }
}

/** Whether a client may name a logical task so (design K4). */
export const mayBeChosen = (correlationId: string): boolean => /^[^~\p{Cc}][^\p{Cc}]{0,1023}$/u.test(correlationId)
