-- V3: every recorded moment of every probe, as the fold reads it.
CREATE TABLE probe_moments (
  worker_key bytea NOT NULL,
  position bigint NOT NULL,
  probe_key bytea NOT NULL,
  fact json NOT NULL,
  PRIMARY KEY (worker_key, position)
);
CREATE INDEX probe_moments_probe ON probe_moments (probe_key, position);

-- Of each subject that probes have a word on the newest moment: the verified sets need no others.
CREATE TABLE probe_words (
  worker_key bytea NOT NULL,
  subject_key bytea NOT NULL,
  position bigint NOT NULL,
  PRIMARY KEY (worker_key, subject_key)
) WITH (fillfactor = 70);

-- One row a probe: those that are not closed are gone on with.
CREATE TABLE probes (
  probe_key bytea PRIMARY KEY,
  worker_id text NOT NULL,
  probe_id text NOT NULL,
  last_position bigint NOT NULL,
  is_closed boolean NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX probes_open ON probes (last_position) WHERE NOT is_closed;

-- When a worker is to be probed by itself: its last enrolment that says something of it, and the last plan.
CREATE TABLE probe_schedules (
  worker_key bytea PRIMARY KEY,
  worker_id text NOT NULL,
  is_enabled boolean NOT NULL DEFAULT false,
  every_ms bigint,
  planned_at_ms bigint
);

-- V7: what probes verify lets a worker take work over, as trust in its card does.
ALTER TABLE workers ADD COLUMN is_probed boolean NOT NULL DEFAULT false;
ALTER TABLE workers ADD COLUMN can_take_over boolean NOT NULL GENERATED ALWAYS AS (is_trusted OR is_probed) STORED;
DROP INDEX workers_mesh;
CREATE INDEX workers_mesh ON workers (mesh, can_take_over DESC, (enrolled_position IS NULL), first_position);

GRANT SELECT, INSERT, UPDATE, DELETE ON probe_moments, probe_words, probes, probe_schedules TO a2a_ledger_reconciler;
