/**
 * What an error body states, whatever its shape, before anything is concluded from it.
 *
 * | shape | read as |
 * | --- | --- |
 * | `{jsonrpc, error: {code, message, data}}`, or `{code, message}` alone | JSON-RPC |
 * | `{error: {code, status, message, details[]}}` | google.rpc.Status over HTTP (v1.0 §11.6) |
 * | `{code: 5 \| "NOT_FOUND", message \| details}` | gRPC status as JSON |
 * | `{type, title, status, detail}` | problem details, RFC 9457 |
 * | `{code: -32001, message}` over HTTP+JSON | v0.3 REST |
 * | `{error: "TaskNotFoundError", message}` | an error named by its class |
 * | `{detail: {code, …}}` | what stands in `detail`, as web frameworks wrap it |
 * | `{status: {code, …}}` | what stands in `status`, as a gRPC exception holds it |
 * | anything else, HTML, text, nothing | the HTTP status alone |
 */
import type { JsonValue } from '../../json/document.ts'
import type { CodeSpace, ErrorName } from '../reading.ts'
import type { Reader } from '../reader.ts'
import { grpcCodeOf, httpStatusOf, nameOfA2aType, nameOfJsonRpc, nameOfType } from './names.ts'

export interface ErrorFacts {
  readonly codeSpace: CodeSpace
  readonly code?: number
  /** From the envelope, else from the body; absent when neither tells. */
  readonly httpStatus?: number
  /** What a reason, a problem type or a class name says the error is. */
  readonly named?: ErrorName
  /** True when a reason or type was there that is no error of A2A. */
  readonly isNamedOtherwise: boolean
  readonly text: string
  readonly isJsonRpc: boolean
  /** Only where the body itself names the task. */
  readonly taskId?: string
}

/** A code, also as a string or as a double: `-32001.0` is what JSON calls the same number. */
const integerOf = (value: JsonValue | undefined): number | undefined => {
  const text = value?.string ?? ''
  const number = value?.number ?? (/^-?\d{1,9}$/.test(text) ? Number(text) : undefined)
  return number !== undefined && Number.isInteger(number) && Math.abs(number) < 1e9 ? number : undefined
}

const textOf = (reader: Reader, ...holders: readonly (JsonValue | undefined)[]): string => {
  for (const holder of holders) {
    for (const name of ['message', 'detail', 'details', 'title', 'error_description', 'description', 'error']) {
      const text = reader.text(holder, name, 2000)
      if (text !== undefined) return text
    }
  }
  return ''
}

/** ErrorInfo entries of `details` (gRPC, REST) or `data` (JSON-RPC), a list or a lone object. */
const infosOf = (holder: JsonValue): readonly JsonValue[] =>
  ['details', 'data'].flatMap((name) => {
    const value = holder.get(name)
    return value?.kind === 'object' ? [value] : [...(value?.items() ?? [])]
  })

/** Members in which the field names the type of an error, beside those of the shapes above. */
const wordNames = ['reason', 'code', 'status', 'errorCode', 'errorType'] as const

const taskIdIn = (
  reader: Reader,
  holders: readonly (JsonValue | undefined)[],
): string | undefined => {
  for (const holder of holders) {
    const taskId = reader.id(holder, 'taskId')
    if (taskId !== undefined) return taskId
  }
  return undefined
}

const factsOfBody = (
  reader: Reader,
  body: JsonValue,
  error: JsonValue,
  isRpc: boolean,
): ErrorFacts => {
  const infos = infosOf(error)
  const reasons = [
    ...infos.map((info) => info.get('reason')?.string),
    error.get('type')?.string,
    body === error ? undefined : body.get('type')?.string,
    error.get('name')?.string,
    body.get('error')?.string,
  ].filter((reason) => reason !== undefined)
  const words = [error, body].flatMap((holder) => wordNames.map((name) => holder.get(name)?.string ?? ''))
  const named = [...reasons.map(nameOfType), ...words.map(nameOfA2aType)].find((name) => name !== undefined)
  const hasReason = infos.some((info) => info.get('reason')?.string !== undefined)
  const { code, codeSpace } = codeOf(reader, error, isRpc)
  const taskId = taskIdIn(reader, [...infos.map((info) => info.get('metadata')), ...infos, error])
  const httpStatus = httpStatusOfAnswer(reader, error, body)
  const shown = codeSpace === 'http' ? httpStatus : code
  return {
    codeSpace,
    ...(shown === undefined ? {} : { code: shown }),
    ...(httpStatus === undefined ? {} : { httpStatus }),
    ...(named === undefined ? {} : { named }),
    isNamedOtherwise: named === undefined && hasReason,
    text: textOf(reader, error, body),
    isJsonRpc: isRpc,
    ...(taskId === undefined ? {} : { taskId }),
  }
}

/** The status line counts where it says error; else the status that the body gives itself. */
const httpStatusOfAnswer = (
  reader: Reader,
  error: JsonValue,
  body: JsonValue,
): number | undefined => {
  const { httpStatus } = reader.context
  if (httpStatus !== undefined && httpStatus >= 400) return httpStatus
  return httpStatusIn(error) ?? httpStatusIn(body) ?? httpStatus
}

const httpStatusIn = (holder: JsonValue): number | undefined => {
  for (const name of ['status', 'statusCode', 'code']) {
    const value = holder.get(name)
    const number = integerOf(value) ?? httpStatusOf(value?.string ?? '')
    if (number !== undefined && number >= 300 && number <= 599) return number
  }
  return undefined
}

const codeOf = (
  reader: Reader,
  error: JsonValue,
  isRpc: boolean,
): { readonly code?: number; readonly codeSpace: CodeSpace } => {
  const value = reader.deciding(error, 'code')
  const code = integerOf(value)
  if (code !== undefined && (isRpc || code < 0)) return { code, codeSpace: 'jsonrpc' }
  const grpc =
    code ?? grpcCodeOf(value?.string ?? '') ?? integerOf(error.get('status')) ?? grpcCodeOf(error.get('status')?.string ?? '')
  const isGrpc = reader.context.binding === 'GRPC' || isBareGrpc(reader, error)
  if (isGrpc && grpc !== undefined && grpc <= 16) return { code: grpc, codeSpace: 'grpc' }
  return reader.context.binding === 'GRPC' ? { codeSpace: 'grpc' } : { codeSpace: 'http' }
}

/** `{code: 5, …}` or `{code: "NOT_FOUND", …}` where nothing says another binding. */
const isBareGrpc = (reader: Reader, error: JsonValue): boolean => {
  if (reader.context.binding !== undefined || reader.context.httpStatus !== undefined) return false
  const code = error.get('code')
  const number = integerOf(code) ?? grpcCodeOf(code?.string ?? '')
  return number !== undefined && number >= 1 && number <= 16
}

/**
 * True for a JSON-RPC error: it says so, or only JSON-RPC writes such a body. Where nobody says which
 * binding it was, an error object whose code A2A gives a name is that of a JSON-RPC answer, and wins over
 * the HTTP status (F6): v0.3 REST, which writes the same object, answers each of these with its own 4xx.
 */
const isJsonRpcError = (reader: Reader, body: JsonValue, error: JsonValue): boolean => {
  const code = integerOf(error.get('code'))
  if (code === undefined) return false
  if (body.get('jsonrpc') !== undefined) return true
  const { type, binding, httpStatus } = reader.context
  if (binding === 'JSONRPC') return true
  if (binding !== undefined || code >= 0) return false
  return httpStatus === undefined || (type === 'a2a.error' && isNamedByA2a(code))
}

/** Neither a code of the server's own nor -32603, which say of the call no more than a 5xx. */
const isNamedByA2a = (code: number): boolean => !['Server', 'Internal'].includes(nameOfJsonRpc(code))

/** A status that has a code and no state is none of a task. */
export const heldStatusOf = (body: JsonValue): JsonValue | undefined => {
  const status = body.get('status')
  return status?.get('code') !== undefined && status.get('state') === undefined ? status : undefined
}

/**
 * The facts of a body that was found to be an error.
 *
 * Shape: a JSON value of any kind, or `undefined` for a body that is no JSON, with its text.
 */
export const errorFacts = (
  reader: Reader,
  body: JsonValue | undefined,
  text: string,
): ErrorFacts => {
  if (body?.kind !== 'object') {
    const { httpStatus } = reader.context
    return {
      codeSpace: reader.context.binding === 'GRPC' ? 'grpc' : 'http',
      ...(httpStatus === undefined ? {} : { code: httpStatus, httpStatus }),
      isNamedOtherwise: false,
      text: text.slice(0, 2000),
      isJsonRpc: false,
    }
  }
  const error = [reader.deciding(body, 'error'), body.get('detail'), heldStatusOf(body)].find((inner) => inner?.kind === 'object') ?? body
  return factsOfBody(reader, body, error, isJsonRpcError(reader, body, error))
}
