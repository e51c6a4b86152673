/** The closed list of violations (contract §7): an observation that breaks an invariant. */
export const violationTable = {
  terminal_left: 'Another state was reported after a terminal one; the first terminal state stands (F5).',
  state_regressed: 'A state of a lower rank was reported later; the higher one stands (F4).',
  state_not_advertised: 'The worker emitted a state that its card does not declare as reachable (C3).',
  state_unknown: 'The wire value is no state of any A2A version; kept, never mapped to a default.',
  media_type_not_advertised: 'The artifact has a media type outside the output modes of the card (C4).',
  media_type_not_negotiated: 'The artifact has a media type outside what client and card agreed on (F19).',
  artifact_sealed: 'Data came for an artifact after its last chunk (F18).',
  artifact_append_to_unknown: 'A chunk was appended to an artifact that nobody had started (F18).',
  artifact_after_terminal: 'An artifact came after the terminal state, seen by the same witness (F18).',
  artifact_id_repeated: 'One snapshot lists the same artifact id twice.',
  context_missing: 'A task or update lacks the context id that its version requires.',
  context_changed: 'The context id of the task is another one than before.',
  task_id_missing: 'The update names no task.',
  task_id_changed: 'One answer or stream has two task ids.',
  task_id_mismatch: 'The answer is about another task than the one asked for.',
  task_id_reused: 'The task id of an open attempt came back with a fresh state after it was not found (F12).',
  correlation_claimed: 'A worker that was never sent this work claims its correlation ID (K1).',
  correlation_conflict: 'The event claims a task that belongs to another correlation ID (K2).',
  terminal_claimed: 'An error says that the open task has ended, without naming the end (F8).',
  content_ambiguous: 'A part has two contents, or two media-type names that disagree.',
  timestamp_invalid: 'The status timestamp cannot be used; the time of the witness orders the event.',
  timestamp_in_future: 'The timestamp is more than five seconds ahead (F3).',
  error_code_conflict: 'The code and the text of the error say different things (F6).',
  result_missing: 'There is nothing where a result belongs.',
} as const

export type ViolationCode = keyof typeof violationTable
