-- L13: of each server task the newest listing of its worker that named it. A listing that repeats what was
-- said a moment before gets no event of its own, and is life of the task all the same.
CREATE TABLE worker_listings (
  attempt_key bytea PRIMARY KEY,
  at_ms bigint NOT NULL,
  position bigint NOT NULL,
  fact json NOT NULL
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE, DELETE ON worker_listings TO a2a_ledger_reconciler;
