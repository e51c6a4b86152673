/** What of an answer is told, and answers of our own where the worker gave none. */
import type { ServerResponse } from 'node:http'
import { LedgerError } from '@a2a-ledger/domain'
import { type AnswerHead, type CallFailure, OutboundError } from '@a2a-ledger/outbound'
import { type Problem, problemHeaders, problemOf } from '@a2a-ledger/service-kit/http'
import type { Answer } from '@a2a-ledger/witness/recording'
import type { Edge } from './edge.ts'
import { headerIn, textOf } from './raw-headers.ts'

export function answerOf({ settings }: Edge, { status, headers, remote }: AnswerHead): Answer {
  const named = settings.instanceHeaders.map((name) => textOf(headerIn(headers, name))).find((value) => value !== undefined && value !== '')
  return {
    status,
    contentType: headerIn(headers, 'content-type'),
    instance: named ?? (settings.isInstanceByAddress ? remote : undefined),
    cacheControl: headerIn(headers, 'cache-control'),
    etag: headerIn(headers, 'etag'),
  }
}

export function failureProblem(error: unknown, failure: CallFailure): Problem {
  if (error instanceof OutboundError && error.code !== 'deadline_exceeded') return problemOf('outbound_refused', error.message)
  if (failure === 'timeout') return problemOf('worker_timeout', 'The worker did not answer in time.')
  const because = { refused: 'nobody listens there, or no way leads there', reset: 'the connection ended without an answer', aborted: 'the call was given up', dns: 'its name is not known', tls: 'no secure connection comes about' }
  return problemOf('worker_unreachable', `The worker does not answer: ${because[failure]}.`)
}

export const problemOfError = (error: unknown): Problem =>
  error instanceof LedgerError && error.kind !== 'defect'
    ? problemOf(error.code, error.detail)
    : problemOf('internal', 'This is a fault of the proxy; its log has it.')

/** Answers with a problem where nothing was answered yet; else ends the answer where it is. */
export function sendProblemRaw(response: ServerResponse, problem: Problem): void {
  if (response.closed) return
  if (response.headersSent) {
    response.destroy()
    return
  }
  const body = JSON.stringify(problem)
  response.writeHead(problem.status, { ...problemHeaders(problem), 'content-length': Buffer.byteLength(body) })
  response.end(body)
}
