/** Whatever goes wrong becomes a problem (RFC 9457): ours, the framework's, and malformed HTTP. */
import type { Socket } from 'node:net'
import { type ErrorCode, LedgerError } from '@a2a-ledger/domain'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { type Problem, problemHeaders, problemOf } from './problem.ts'

export const sendProblem = (reply: FastifyReply, problem: Problem): FastifyReply =>
  reply.code(problem.status).headers(problemHeaders(problem)).send(JSON.stringify(problem))

const bodyTooLarge = problemOf('body_too_large', 'Send at most 8 MiB; a batch can be split.')

/** What Fastify itself refuses, told in our words. */
const frameworkProblems: Readonly<Record<string, Problem>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: bodyTooLarge,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: problemOf(
    'body_malformed',
    'The body has another length than Content-Length says.',
  ),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: problemOf(
    'content_type_unsupported',
    'The Content-Type is not a media type.',
  ),
  FST_ERR_BAD_URL: problemOf('parameter_invalid', 'The path has a broken percent-encoding.'),
  FST_ERR_MAX_PARAM_LENGTH: problemOf('parameter_invalid', 'A parameter in the path is too long.'),
}

export function answerError(
  error: FastifyError | LedgerError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const problem = problemOfError(error)
  if (error instanceof LedgerError && error.kind === 'unavailable') {
    request.log.warn({ code: error.code, detail: error.detail }, 'refused for now')
  } else if (problem.status >= 500) {
    request.log.error({ err: error, code: problem.code }, 'request failed')
  }
  return sendProblem(reply, problem)
}

function problemOfError(error: FastifyError | LedgerError | Error): Problem {
  if (error instanceof LedgerError && error.kind !== 'defect') return problemOf(error.code, error.detail, error.members)
  const { code = '', statusCode = 500 } = error as Partial<FastifyError>
  const known = frameworkProblems[code]
  if (known !== undefined) return known
  if (statusCode < 500) return problemOf('parameter_invalid', error.message)
  return problemOf(
    error instanceof LedgerError ? error.code : 'internal',
    'This is a fault of the service; its log has it under the x-request-id of this answer.',
  )
}

export const answerUnknownRoute = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  sendProblem(reply, problemOf('route_not_found', unknownRoute(request.method, request.url)))

const unknownRoute = (method: string, url: string): string =>
  `There is no ${method} ${url.split('?', 1)[0]?.slice(0, 200)}; GET /openapi.json lists what there is.`

const clientErrors: Readonly<Record<string, readonly [status: number, code: ErrorCode, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'parameter_invalid', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'parameter_invalid', 'The request did not come to an end in time.'],
}

/** Answers bytes that are not HTTP; there is no request yet, so it is written by hand. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, code, detail] = clientErrors[error.code ?? ''] ?? [
    400,
    'parameter_invalid' as const,
    'The request is not well-formed HTTP/1.1.',
  ]
  const body = JSON.stringify({ ...problemOf(code, detail), status })
  socket.end(
    `HTTP/1.1 ${status} Refused\r\ncontent-type: application/problem+json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}
