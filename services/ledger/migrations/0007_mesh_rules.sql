-- Correlation rules of meshes: what the ladder knows of them. Both tables are append-only, the newest
-- row counts, and `position` is that of the event that taught it. Where neither has a new row, what
-- a ledger remembers of them is still so: that is what the indexes on `position` are for.

-- The mesh that an enrolment put a worker in; no row: the mesh `default`.
CREATE TABLE ledger.worker_mesh (
  worker_hash bytea NOT NULL,
  position bigint NOT NULL,
  mesh text NOT NULL,
  PRIMARY KEY (worker_hash, position)
);
CREATE INDEX worker_mesh_position ON ledger.worker_mesh (position);

CREATE TABLE ledger.mesh_rules (
  mesh_hash bytea NOT NULL,
  position bigint NOT NULL,
  -- As validated when the policy was set.
  rules json NOT NULL,
  PRIMARY KEY (mesh_hash, position)
);
CREATE INDEX mesh_rules_position ON ledger.mesh_rules (position);

-- Enrolments of before. One whose data is no JSON that Postgres can take apart says no mesh.
DO $$
DECLARE
  enrolment record;
  stated text;
BEGIN
  FOR enrolment IN
    SELECT events.position, events.worker_hash, payloads.data
    FROM ledger.events JOIN ledger.payloads ON payloads.position = events.payload_position
    WHERE event_type = 'reconciler.worker-enrolled' AND worker_hash IS NOT NULL
  LOOP
    BEGIN
      stated := convert_from(enrolment.data, 'UTF8')::json ->> 'mesh';
    EXCEPTION WHEN data_exception THEN
      stated := NULL;
    END;
    IF stated IS NOT NULL THEN
      INSERT INTO ledger.worker_mesh VALUES (enrolment.worker_hash, enrolment.position, stated);
    END IF;
  END LOOP;
END
$$;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['worker_mesh', 'mesh_rules'] LOOP
    EXECUTE format('CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE ON ledger.%I
      FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change()', name);
    EXECUTE format('CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON ledger.%I
      FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change()', name);
  END LOOP;
END
$$;
GRANT SELECT, INSERT ON ledger.worker_mesh, ledger.mesh_rules TO a2a_ledger_service;

-- The rules of a mesh are rungs of the ladder, named for what they read.
ALTER TABLE ledger.events DROP CONSTRAINT events_rung_check;
ALTER TABLE ledger.events ADD CONSTRAINT events_rung_check CHECK (rung IN (
  'explicit', 'claim', 'task-link', 'message-link', 'metadata', 'attribute', 'trace', 'context', 'synthetic'
));
