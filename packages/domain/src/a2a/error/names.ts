/** The names of errors and the codes of the three code spaces that stand for them (v1.0 §5.4). */
import type { ErrorName } from '../reading.ts'

/** JSON-RPC 2.0 §5.1 and A2A §5.4; the numbers are the same in every A2A version that has them. */
const jsonRpcNames: Readonly<Record<number, ErrorName>> = {
  [-32700]: 'JSONParse',
  [-32600]: 'InvalidRequest',
  [-32601]: 'MethodNotFound',
  [-32602]: 'InvalidParams',
  [-32603]: 'Internal',
  [-32001]: 'TaskNotFound',
  [-32002]: 'TaskNotCancelable',
  [-32003]: 'PushNotificationNotSupported',
  [-32004]: 'UnsupportedOperation',
  [-32005]: 'ContentTypeNotSupported',
  [-32006]: 'InvalidAgentResponse',
  [-32007]: 'ExtendedAgentCardNotConfigured',
  [-32008]: 'ExtensionSupportRequired',
  [-32009]: 'VersionNotSupported',
}

/**
 * google.rpc.Code. Codes that A2A gives to several errors (9, 12) name one only with an ErrorInfo;
 * bare UNIMPLEMENTED is what a server without the method says.
 */
const grpcNames: Readonly<Record<number, ErrorName>> = {
  3: 'InvalidParams',
  4: 'Timeout',
  5: 'TaskNotFound',
  7: 'PermissionDenied',
  8: 'Unavailable',
  11: 'InvalidParams',
  12: 'MethodNotFound',
  13: 'Internal',
  14: 'Unavailable',
  16: 'Unauthenticated',
}

/** google.rpc.Code by name, in the order of their numbers. */
const grpcCodes = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
] as const

/** RFC 9110 and the HTTP column of §5.4, without what only a body can tell. */
const httpNames: Readonly<Record<number, ErrorName>> = {
  400: 'InvalidRequest',
  401: 'Unauthenticated',
  403: 'PermissionDenied',
  404: 'RouteNotFound',
  405: 'RouteNotFound',
  406: 'ContentTypeNotSupported',
  407: 'Unauthenticated',
  408: 'Timeout',
  415: 'ContentTypeNotSupported',
  422: 'InvalidParams',
  429: 'Unavailable',
  500: 'Internal',
  501: 'UnsupportedOperation',
  502: 'Unavailable',
  503: 'Unavailable',
  504: 'Timeout',
}

/** HTTP statuses of google.rpc.Code, for bodies that give the status by name alone. */
const httpOfGrpc: Readonly<Record<string, number>> = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  OUT_OF_RANGE: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  ABORTED: 409,
  RESOURCE_EXHAUSTED: 429,
  INTERNAL: 500,
  UNKNOWN: 500,
  DATA_LOSS: 500,
  UNIMPLEMENTED: 501,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
}

/** Names by their letters: `TASK_NOT_FOUND`, `task-not-found`, `io.a2a.spec.TaskNotFoundError`. */
const typeNames: ReadonlyMap<string, ErrorName> = new Map([
  ...Object.values(jsonRpcNames).map((name): [string, ErrorName] => [name.toLowerCase(), name]),
  ['parse', 'JSONParse'],
  ['unauthenticated', 'Unauthenticated'],
  ['permissiondenied', 'PermissionDenied'],
  ['unsupportedcontenttype', 'ContentTypeNotSupported'],
  ['contenttypenotsupported', 'ContentTypeNotSupported'],
  ['authenticatedextendedcardnotconfigured', 'ExtendedAgentCardNotConfigured'],
  ['tasknotcancellable', 'TaskNotCancelable'],
  ['protocolversionnotsupported', 'VersionNotSupported'],
])

const a2aNames: ReadonlySet<ErrorName> = new Set(
  Object.entries(jsonRpcNames).flatMap(([code, name]) => (Number(code) >= -32009 ? [name] : [])),
)

/** The name of a JSON-RPC code; a code nobody defined is `Server`. */
export const nameOfJsonRpc = (code: number): ErrorName => jsonRpcNames[code] ?? 'Server'

/** The name of a gRPC code; `Server` where the code alone tells nothing. */
export const nameOfGrpc = (code: number): ErrorName => grpcNames[code] ?? 'Server'

/** The name of an HTTP status alone; other redirects and refusals of a path are route evidence. */
export const nameOfHttp = (status: number): ErrorName =>
  httpNames[status] ?? (status >= 300 && status < 400 ? 'RouteNotFound' : 'Server')

/** The number of a gRPC status name as any library spells it; `undefined` when it is none. */
export const grpcCodeOf = (name: string): number | undefined => {
  const letters = lettersOf(name.replace(/^StatusCode\./i, ''))
  const code = grpcCodes.findIndex((each) => lettersOf(each) === letters)
  return code < 0 ? undefined : code
}

/** `NOT_FOUND`, `not_found` (Connect), `NotFound` and `Canceled` (Go), `not-found`: one name each. */
const lettersOf = (name: string): string => name.replace(/[_-]/g, '').toUpperCase().replace(/^CANCELED$/, 'CANCELLED')

/** The HTTP status of a gRPC status name; `undefined` when it is none. */
export const httpStatusOf = (name: string): number | undefined => httpOfGrpc[grpcCodes[grpcCodeOf(name) ?? 0] ?? '']

/**
 * The error a type name stands for.
 *
 * Shape: an ErrorInfo reason, a problem type URI, an exception class with or without package;
 * `undefined` for any other text, so that prose never names an error.
 */
export const nameOfType = (text: string): ErrorName | undefined => {
  if (!/^[\w.:/#$%-]{1,200}$/.test(text)) return undefined
  const last = text.split(/[.:/#$]/).at(-1) ?? ''
  const key = last
    .replace(/[^A-Za-z]/g, '')
    .toLowerCase()
    .replace(/(?:error|exception)$/, '')
  return typeNames.get(key)
}

/** The same, where only a name that no other protocol has is one of A2A's: `TASK_NOT_FOUND`, not `INTERNAL`. */
export const nameOfA2aType = (text: string): ErrorName | undefined => {
  const name = nameOfType(text)
  return name !== undefined && a2aNames.has(name) ? name : undefined
}
