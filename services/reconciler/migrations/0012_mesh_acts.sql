-- What a mesh lost and what the ledger sent in it, so that neither becomes a storm.
CREATE TABLE mesh_acts (
  mesh_key bytea NOT NULL,
  recorded_ms bigint NOT NULL,
  position bigint NOT NULL,
  mesh text NOT NULL,
  act text NOT NULL,
  PRIMARY KEY (mesh_key, recorded_ms, position)
);
CREATE INDEX mesh_acts_recent ON mesh_acts (recorded_ms);

GRANT SELECT, INSERT, UPDATE, DELETE ON mesh_acts TO a2a_ledger_reconciler;
