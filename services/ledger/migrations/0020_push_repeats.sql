-- How often pushes of a worker were delivered that are recorded already: the delivery is one event,
-- and of the others only the number is kept, in one row a worker.
CREATE TABLE ledger.push_repeats (
  worker_hash bytea PRIMARY KEY,
  worker_id text NOT NULL,
  repeats bigint NOT NULL,
  last_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
GRANT SELECT, INSERT, UPDATE ON ledger.push_repeats TO a2a_ledger_service;

CREATE VIEW ledger.push_repeats_v1 AS SELECT worker_id, repeats, last_at FROM ledger.push_repeats;
GRANT SELECT ON ledger.push_repeats_v1 TO a2a_ledger_reader;
