-- What the ledger may send in a mesh within a minute, over all processes; and what waits to be sent, for who counts.
CREATE TABLE mesh_permits (
  mesh_key bytea NOT NULL,
  intent_key bytea NOT NULL,
  taken_ms bigint NOT NULL,
  PRIMARY KEY (mesh_key, intent_key)
);
CREATE INDEX mesh_permits_recent ON mesh_permits (mesh_key, taken_ms);

ALTER TABLE task_list
  ADD COLUMN open_intent_count integer NOT NULL DEFAULT 0,
  ADD COLUMN open_intent_since_ms bigint,
  ADD COLUMN waiting_since_ms bigint;
CREATE INDEX task_list_open_intents ON task_list (open_intent_since_ms) WHERE open_intent_count > 0;
CREATE INDEX task_list_waiting ON task_list (waiting_since_ms) WHERE waiting_since_ms IS NOT NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON mesh_permits TO a2a_ledger_reconciler;
