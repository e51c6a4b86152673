/**
 * The one classifier of errors: any body → name, code space, evidence (F6, F8).
 *
 * A JSON-RPC body wins over the HTTP status. Text never names an error; it only contradicts a code
 * (`error_code_conflict`), says that the task has ended, or that something timed out.
 */
import type { JsonValue } from '../../json/document.ts'
import { excerpt } from '../excerpt.ts'
import type { ErrorName, ErrorPayloadReading, Evidence, NotFoundShape } from '../reading.ts'
import type { Draft, Reader } from '../reader.ts'
import { evidenceOf, questionOf } from './evidence.ts'
import { nameOfGrpc, nameOfHttp, nameOfJsonRpc } from './names.ts'
import { errorFacts, type ErrorFacts } from './shape.ts'

const timeoutText = /\btim(?:ed|e|ing)[ _-]?out\b|\btimeout\b|deadline[ _]exceeded/i
const notFoundText = /not[ _-]?found|does(?: not|n't) exist|no such|unknown task|unable to find/i
/** What is not found is no task: MCP and gateways take the same code for it. */
const otherNotFoundText = /^(?!.*\btask)(?=.*\b(?:session|agent|push[ _-]?notification config(?:uration)?)\b)/is
/** Texts that name another error than the one a not-found code stands for, in order of precedence. */
const contradictions: readonly (readonly [says: RegExp, name: ErrorName])[] = [
  [timeoutText, 'Timeout'],
  [/\bunavailable\b|\boverloaded\b|\btoo many requests\b|\brate[ -]?limit/i, 'Unavailable'],
  [/\bECONN(?:REFUSED|RESET|ABORTED)\b|\bconnection (?:refused|reset|closed)\b|\bsocket hang up\b|\baborted\b/i, 'Unavailable'],
  [/\bunauthori[sz]ed\b|\bunauthenticated\b|\bauthentication (?:failed|required)\b/i, 'Unauthenticated'],
  [/\bforbidden\b|\b(?:permission|access) denied\b/i, 'PermissionDenied'],
  [/\binternal (?:server )?error\b/i, 'Internal'],
]
const terminalText =
  /\bterminal[ _-]?state\b|\b(?:state|task)\b[^.]{0,60}\bterminal\b|\btask\b[^.]{0,60}\balready (?:been )?(?:completed|finished|cancell?ed|failed|rejected|ended)\b/i
const wrappedUpstreamText =
  /\bHTTP (?:error|status)[ :]+[45]\d\d\b|\bupstream\b|\bbad gateway\b|\bgateway time-?out\b/i
const htmlText = /^\s*(?:<!doctype html|<html|<head|<body)/i

/** Errors whose text may say that the task has ended: the worker refuses to go on with it. */
const canSayTerminal: ReadonlySet<ErrorName> = new Set([
  'InvalidParams',
  'InvalidRequest',
  'UnsupportedOperation',
])

const nameOfCode = (facts: ErrorFacts): ErrorName => {
  if (facts.code === undefined) return 'Server'
  switch (facts.codeSpace) {
    case 'jsonrpc':
      return nameOfJsonRpc(facts.code)
    case 'grpc':
      return facts.isNamedOtherwise && facts.code === 5 ? 'RouteNotFound' : nameOfGrpc(facts.code)
    case 'http':
      return nameOfHttp(facts.code)
  }
}

/** The other error that the text of a not-found names. */
const contradictionOf = (text: string): ErrorName | undefined =>
  notFoundText.test(text)
    ? otherNotFoundText.test(text)
      ? 'Server'
      : undefined
    : contradictions.find(([says]) => says.test(text))?.[1]

interface Named {
  readonly name: ErrorName
  readonly isConflict: boolean
  /** The code says not found, and reason or text something else. */
  readonly isNotFoundContradicted: boolean
}

/** Code, reason and text together; where two disagree that is said, and nothing is strong. */
const nameOf = (facts: ErrorFacts, saysTerminal: boolean): Named => {
  const byCode = nameOfCode(facts)
  const isSpecific = facts.codeSpace === 'jsonrpc' && byCode !== 'Server'
  const name = isSpecific ? byCode : (facts.named ?? byCode)
  const isReasonConflict = isSpecific && facts.named !== undefined && facts.named !== byCode
  if (name === 'TaskNotFound') {
    const told = contradictionOf(facts.text)
    if (told !== undefined) return { name: told, isConflict: true, isNotFoundContradicted: true }
  }
  const isRefusal = canSayTerminal.has(name) || (name === 'Server' && facts.codeSpace !== 'jsonrpc')
  if (saysTerminal && isRefusal) return { name: 'TaskAlreadyTerminal', isConflict: false, isNotFoundContradicted: false }
  return { name, isConflict: isReasonConflict, isNotFoundContradicted: isReasonConflict && name === 'TaskNotFound' }
}

/** How the not-found is told; `undefined` when the error is no not-found. */
const notFoundShape = (
  facts: ErrorFacts,
  { name, isNotFoundContradicted }: Named,
): NotFoundShape | undefined => {
  const status = facts.httpStatus ?? 404
  const isRefusal = status >= 500 || status === 401 || status === 403 || status === 405
  if (facts.codeSpace !== 'grpc' && !facts.isJsonRpc && isRefusal) return undefined
  if (isNotFoundContradicted) return 'contradicted'
  if (name === 'TaskNotFound') return 'named'
  return name === 'RouteNotFound' && (facts.code === 404 || facts.code === 5) ? 'bare' : undefined
}

const evidence = (reader: Reader, facts: ErrorFacts, shape: NotFoundShape | undefined): Evidence => {
  if (shape === undefined) return 'none'
  const { operation, taskId } = reader.context
  return evidenceOf(questionOf(operation, taskId ?? facts.taskId), shape)
}

/** A page where an A2A body belongs: only a proxy answers so. */
export const isHtml = (text: string): boolean => htmlText.test(text)

/** True when a proxy answered: it has no A2A body of its own, or says whose answer it wraps. */
const isFromGateway = (facts: ErrorFacts, name: ErrorName): boolean => {
  if (name === 'Internal' && wrappedUpstreamText.test(facts.text)) return true
  if (facts.isJsonRpc || facts.codeSpace === 'grpc' || facts.named !== undefined) return false
  const status = facts.httpStatus ?? 0
  return isHtml(facts.text) || (status >= 502 && status <= 504)
}

/**
 * Reads a body that is an error: JSON of any shape, or `undefined` and its text.
 *
 * Notes `error_code_conflict` when code and reason, or code and text, say different things.
 */
export const readError = (reader: Reader, body: JsonValue | undefined, text: string): Draft => {
  const facts = errorFacts(reader, body, text)
  const saysTimeoutByText = timeoutText.test(facts.text)
  const saysTerminal = terminalText.test(facts.text)
  const named = nameOf(facts, saysTerminal)
  if (named.isConflict) reader.note('error_code_conflict')
  const { name } = named
  const notFound = notFoundShape(facts, named)
  const draft: Omit<ErrorPayloadReading, 'notes'> = {
    kind: 'error',
    ...(facts.taskId === undefined ? {} : { taskId: facts.taskId }),
    error: {
      name,
      codeSpace: facts.codeSpace,
      ...(facts.code === undefined ? {} : { code: facts.code }),
      evidence: evidence(reader, facts, notFound),
      ...(notFound === undefined ? {} : { notFound }),
      text: excerpt(facts.text, 2000),
      isJsonRpc: facts.isJsonRpc,
      isFromGateway: isFromGateway(facts, name),
      saysTerminal:
        name === 'TaskAlreadyTerminal' ||
        name === 'TaskNotCancelable' ||
        (saysTerminal && name !== 'TaskNotFound'),
      saysTimeout: name === 'Timeout' || saysTimeoutByText,
    },
  }
  return draft
}
