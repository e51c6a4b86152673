-- What tells that one task was sent on behalf of another: the parent it names, the server task it
-- refers to, the trace it was sent in. Nothing is concluded here; it finds the tasks that may be kin.
CREATE TABLE kin_marks (
  kind text NOT NULL CHECK (kind IN ('parent', 'reference', 'trace')),
  mark_key bytea NOT NULL,
  stream_key bytea NOT NULL,
  position bigint NOT NULL,
  PRIMARY KEY (kind, mark_key, stream_key)
);
CREATE INDEX kin_marks_order ON kin_marks (kind, mark_key, position);
GRANT SELECT, INSERT, UPDATE, DELETE ON kin_marks TO a2a_ledger_reconciler;
