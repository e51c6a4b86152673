-- Which logical task a decision is about: verdicts, and permissions to send.
CREATE TABLE decisions (
  decision_key bytea PRIMARY KEY,
  stream_key bytea NOT NULL
);

GRANT SELECT, INSERT, UPDATE, DELETE ON decisions TO a2a_ledger_reconciler;
