/**
 * Errors as the HTTP API shows them: RFC 9457 problems.
 *
 * One row per error code; a code without a row does not compile.
 */
import { type ErrorCode, errorTable } from '@a2a-ledger/domain'
import { z } from 'zod'

const statusOf = {
  body_malformed: 400,
  body_too_large: 413,
  batch_too_large: 413,
  content_type_unsupported: 415,
  envelope_invalid: 400,
  parameter_invalid: 400,
  push_unauthorized: 401,
  internal_only: 403,
  event_not_found: 404,
  payload_erased: 410,
  quarantine_not_found: 404,
  task_not_found: 404,
  worker_not_found: 404,
  probe_not_found: 404,
  mesh_not_found: 404,
  worker_not_enrolled: 404,
  decision_not_found: 404,
  lease_invalid: 403,
  link_not_found: 404,
  link_conflict: 409,
  claim_held: 409,
  claim_settled: 409,
  claim_superseded: 409,
  decision_closed: 409,
  approval_missing: 409,
  nothing_to_approve: 409,
  verdict_answered: 409,
  artifact_not_found: 404,
  content_by_reference: 409,
  task_ambiguous: 409,
  idempotency_mismatch: 422,
  call_loops: 421,
  route_not_found: 404,
  probe_disabled: 409,
  stream_moved: 409,
  not_caught_up: 504,
  overloaded: 503,
  store_unavailable: 503,
  outcome_unknown: 503,
  ledger_unavailable: 503,
  worker_unreachable: 502,
  worker_timeout: 504,
  outbound_refused: 502,
  ledger_rewound: 500,
  stored_event_unreadable: 500,
  internal: 500,
} as const satisfies Record<ErrorCode, number>

/** Seconds after which a refused call may come again. */
export const retryAfterSeconds = '1'

export const problemSchema = z
  .looseObject({
    type: z.string().describe('`urn:a2a-ledger:error:` and the code.'),
    title: z.string().describe('What the code means, the same for every occurrence.'),
    status: z.int(),
    code: z.string().describe('One of docs/reference/errors.md.'),
    detail: z.string().describe('What is wrong here, and what to do about it.'),
  })
  .describe('RFC 9457 problem.')

export type Problem = z.infer<typeof problemSchema>

/** `members`: what a program needs beside the words (RFC 9457 §3.2). */
export const problemOf = (code: ErrorCode, detail: string, members: Readonly<Record<string, unknown>> = {}): Problem => ({
  ...members,
  type: `urn:a2a-ledger:error:${code}`,
  title: errorTable[code].summary,
  status: statusOf[code],
  code,
  detail,
})

/** Headers that go with a problem: when to come again, or how to show who one is. */
export const problemHeaders = (problem: Problem): Readonly<Record<string, string>> => ({
  'content-type': 'application/problem+json; charset=utf-8',
  ...(problem.status === 503 ? { 'retry-after': retryAfterSeconds } : {}),
  ...(problem.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
})
