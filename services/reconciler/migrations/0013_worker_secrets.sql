-- Headers that a worker wants to see, as its operator enrolled them: the ledger holds their names alone (L10).
CREATE TABLE worker_secrets (
  worker_key bytea PRIMARY KEY,
  position bigint NOT NULL,
  headers json NOT NULL
);

GRANT SELECT, INSERT, UPDATE, DELETE ON worker_secrets TO a2a_ledger_reconciler;
