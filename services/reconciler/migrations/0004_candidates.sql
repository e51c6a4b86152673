-- V7: only a worker whose promises count as verified can take work over, so only a change of such a
-- one makes tasks of its mesh worth another look. Rows of an older fold are made again and fill it.
ALTER TABLE workers ADD COLUMN is_trusted boolean NOT NULL DEFAULT false;
DROP INDEX workers_mesh;
CREATE INDEX workers_mesh ON workers (mesh, is_trusted DESC, (enrolled_position IS NULL), first_position);

-- The newest evidence of a kind, whatever its key: losses and emissions of other tasks.
CREATE INDEX worker_evidence_latest ON worker_evidence (worker_key, kind, at_ms DESC, first_position DESC);
