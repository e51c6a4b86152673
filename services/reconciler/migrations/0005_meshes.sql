-- What operators decided for their meshes, as of the last decision.
CREATE TABLE meshes (
  mesh_key bytea PRIMARY KEY,
  mesh text NOT NULL,
  -- Every member as it was decided last.
  policy json NOT NULL,
  position bigint NOT NULL,
  event_id text NOT NULL
);

GRANT SELECT, INSERT, UPDATE, DELETE ON meshes TO a2a_ledger_reconciler;
