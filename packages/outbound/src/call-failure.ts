/** What came of a call without an answer, in the words of `a2a.no-answer` (contract §2). */
import { errorsIn, OutboundError } from './outbound-error.ts'

export type CallFailure = 'timeout' | 'refused' | 'reset' | 'aborted' | 'dns' | 'tls'

const byCode: readonly (readonly [pattern: RegExp, failure: CallFailure])[] = [
  [/^(UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT|ESOCKETTIMEDOUT)$/, 'timeout'],
  [/^(ENOTFOUND|ENODATA|ESERVFAIL|EREFUSED|EAI_.*|EBADNAME)$/, 'dns'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EADDRNOTAVAIL|EACCES|EPERM)$/, 'refused'],
  [/^(EPROTO|ERR_(TLS|SSL)_.*|CERT_.*|.*_CERT(_.*)?|UNABLE_TO_.*|.*_SIGNATURE|.*CERTIFICATE.*)$/, 'tls'],
  [/^(UND_ERR_ABORTED|ABORT_ERR)$/, 'aborted'],
]

/**
 * The word for an error of a call; `reset` where nothing says more: the connection was there and
 * gave no answer.
 *
 * What the rules of this package refused counts as `refused`, and their deadline as `timeout`.
 */
export function callFailureOf(error: unknown): CallFailure {
  for (const each of errorsIn(error)) {
    if (each instanceof OutboundError) return failureOfRefusal(each)
    if (each.name === 'TimeoutError') return 'timeout'
    const code = 'code' in each && typeof each.code === 'string' ? each.code : ''
    const known = byCode.find(([pattern]) => pattern.test(code))
    if (known !== undefined) return known[1]
    if (each.name === 'AbortError') return 'aborted'
  }
  return 'reset'
}

function failureOfRefusal({ code }: OutboundError): CallFailure {
  if (code === 'deadline_exceeded') return 'timeout'
  return code === 'body_too_large' ? 'aborted' : 'refused'
}
