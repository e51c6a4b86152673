/**
 * The one error table, in order of precedence. A code's kind says what happens next; each edge
 * maps codes to its own answers (`http/problem.ts`, `kafka/disposition.ts`).
 */
export type ErrorKind = 'rejected' | 'conflict' | 'unavailable' | 'defect'

export const errorTable = {
  body_malformed: { kind: 'rejected', summary: 'The body is not well-formed JSON in UTF-8.' },
  body_too_large: { kind: 'rejected', summary: 'The body is larger than 8 MiB.' },
  batch_too_large: { kind: 'rejected', summary: 'A batch holds at most 1,000 events.' },
  content_type_unsupported: { kind: 'rejected', summary: 'The content type is not one this endpoint reads.' },
  envelope_invalid: { kind: 'rejected', summary: 'The CloudEvents envelope lacks a member or breaks its form.' },
  parameter_invalid: { kind: 'rejected', summary: 'A path, query or body parameter has a wrong form.' },
  push_unauthorized: { kind: 'rejected', summary: 'The push does not carry the token that was configured for it.' },
  internal_only: { kind: 'rejected', summary: 'Only the services of this deployment may call this.' },
  event_not_found: { kind: 'rejected', summary: 'No event has this position.' },
  payload_erased: { kind: 'rejected', summary: 'The data of this event was erased.' },
  quarantine_not_found: { kind: 'rejected', summary: 'No quarantined input has this id.' },
  task_not_found: { kind: 'rejected', summary: 'No event carries this correlation ID.' },
  worker_not_found: { kind: 'rejected', summary: 'Nothing is known about this worker.' },
  probe_not_found: { kind: 'rejected', summary: 'The worker was never probed under this id.' },
  mesh_not_found: { kind: 'rejected', summary: 'No policy names this mesh, and no worker is in it.' },
  worker_not_enrolled: { kind: 'rejected', summary: 'The worker is not enrolled with an address to pass calls on to.' },
  artifact_not_found: { kind: 'rejected', summary: 'The task has no such artifact.' },
  content_by_reference: { kind: 'rejected', summary: 'The artifact is a link; its content was never seen.' },
  task_ambiguous: { kind: 'rejected', summary: 'The question does not say which task it is about.' },
  idempotency_mismatch: { kind: 'rejected', summary: 'The Idempotency-Key was used with another body.' },
  call_loops: { kind: 'rejected', summary: 'The call came back to the proxy that passed it on.' },
  route_not_found: { kind: 'rejected', summary: 'There is no such resource.' },
  decision_not_found: { kind: 'rejected', summary: 'No verdict and no permission to send has this id.' },
  lease_invalid: { kind: 'rejected', summary: 'The lease is none of this decision.' },
  link_not_found: { kind: 'rejected', summary: 'This synthetic task is not linked to that one.' },
  link_conflict: { kind: 'conflict', summary: 'This synthetic task is linked to another one.' },
  probe_disabled: { kind: 'conflict', summary: 'The worker is enrolled as one that must not be probed.' },
  claim_held: { kind: 'conflict', summary: 'Somebody else holds this decision.' },
  claim_settled: { kind: 'conflict', summary: 'This claim was settled with another outcome.' },
  claim_superseded: { kind: 'conflict', summary: 'This claim lapsed, and the decision was claimed again.' },
  approval_missing: { kind: 'conflict', summary: 'The decision waits for a person to approve it.' },
  nothing_to_approve: { kind: 'conflict', summary: 'No re-dispatch of this task can be approved or declined now.' },
  verdict_answered: { kind: 'conflict', summary: 'A person has said otherwise; the first word stands.' },
  decision_closed: { kind: 'conflict', summary: 'Nobody may send on this decision any more.' },
  stream_moved: { kind: 'conflict', summary: 'The stream has newer events than the decision was based on.' },
  not_caught_up: { kind: 'unavailable', summary: 'The position asked for was not applied in time.' },
  overloaded: { kind: 'unavailable', summary: 'Too much is waiting to be recorded; nothing was recorded.' },
  store_unavailable: { kind: 'unavailable', summary: 'Postgres cannot be used now; nothing was read or recorded.' },
  outcome_unknown: {
    kind: 'unavailable',
    summary: 'The connection was lost around the commit; sending the same again is safe.',
  },
  ledger_unavailable: { kind: 'unavailable', summary: 'The ledger does not answer.' },
  worker_unreachable: { kind: 'unavailable', summary: 'The worker does not answer; the proxy does in its place.' },
  worker_timeout: { kind: 'unavailable', summary: 'The worker did not answer in time; the proxy does in its place.' },
  outbound_refused: { kind: 'unavailable', summary: 'The address of the worker is one that must not be called.' },
  ledger_rewound: {
    kind: 'defect',
    summary: 'The ledger, or its topic, is not what it must be: another one, another epoch, shorter than what was read, or set to lose events.',
  },
  stored_event_unreadable: { kind: 'defect', summary: 'A recorded event cannot be read back.' },
  internal: { kind: 'defect', summary: 'An invariant of this service does not hold.' },
} as const satisfies Record<string, { readonly kind: ErrorKind; readonly summary: string }>

export type ErrorCode = keyof typeof errorTable

/** The one error class: `code` says what, `detail` with all variables says what to do about it. */
export class LedgerError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'LedgerError'
  readonly code: Code
  readonly detail: string
  /** What a caller's program needs beside the words, by name. */
  readonly members: Readonly<Record<string, unknown>>

  constructor(
    code: Code,
    detail: string,
    { members = {}, ...options }: { readonly cause?: unknown; readonly members?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(`${code}: ${detail}`, options)
    this.code = code
    this.detail = detail
    this.members = members
  }

  get kind(): ErrorKind {
    return errorTable[this.code].kind
  }
}

/** Why an input went to quarantine (glossary): kept whole, visible, replayable. */
export const quarantineReasons = {
  conflict: 'The key (source, id) is recorded with other content.',
  reserved_type: 'Events of this type are made by the ledger and the reconciler alone.',
  reserved_id: 'Correlation IDs that begin with ~ are made by the ledger alone.',
  unknown_type: 'The event type is none of the contract.',
  attribute_invalid: 'An attribute has a form the contract does not allow.',
  data_missing: 'The event type needs data and there is none.',
  data_malformed: 'The data is not well-formed JSON in UTF-8, or has too many levels or values.',
  data_foreign: 'The data has none of the shapes of this event type in any A2A version.',
  data_ambiguous: 'The data can be read in more than one way.',
  id_invalid: 'An id in the data is empty of meaning: over 1,024 characters or with control characters.',
  untrusted: 'The push lacks the token that was configured for it.',
  poison: 'Postgres refuses to store the event.',
} as const

export type QuarantineReason = keyof typeof quarantineReasons
