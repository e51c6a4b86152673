-- What the reconciler makes of the ledger. Every row but a fencing epoch can be made again from the
-- ledger, so nothing here is evidence. Lookups go by 16-byte hashes, never by caller text, which
-- can be longer than a b-tree entry. `json`, never `jsonb`: facts may hold \u0000.

DO $$
BEGIN
  CREATE ROLE a2a_ledger_reconciler NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
  NULL; -- roles belong to the whole server: another database of it was first
END
$$;

-- One row: which ledger was read (L7), and by which version of the fold.
CREATE TABLE meta (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  ledger_id text,
  epoch integer,
  fold_version integer NOT NULL,
  CHECK ((ledger_id IS NULL) = (epoch IS NULL))
);

-- How far the feed is applied, and who may go on (P5). The epoch rises with every owner, so that a
-- commit of an earlier one fails.
CREATE TABLE feed_offsets (
  feed_group text NOT NULL,
  feed_partition integer NOT NULL,
  next_position bigint NOT NULL DEFAULT 1,
  fencing_epoch bigint NOT NULL DEFAULT 0,
  owner text,
  lease_until timestamptz,
  PRIMARY KEY (feed_group, feed_partition)
);

-- One row a correlation ID. The first position orders lists: it never changes.
CREATE TABLE streams (
  stream_key bytea PRIMARY KEY,
  correlation_id text NOT NULL,
  first_position bigint NOT NULL,
  last_position bigint NOT NULL,
  -- F1: up to this witness time the inside of runs is left out; null: nothing is.
  compacted_until_ms bigint,
  -- How many facts were left the last time.
  compacted_count integer NOT NULL DEFAULT 0
) WITH (fillfactor = 70);

-- One row a fact; an event of which no fact was taken has one row without.
CREATE TABLE facts (
  stream_key bytea NOT NULL,
  position bigint NOT NULL,
  n integer NOT NULL,
  fact json,
  PRIMARY KEY (stream_key, position, n)
);

-- F1: the inside of runs of facts that say the same; only a late fact makes them matter again.
CREATE TABLE inside_facts (
  stream_key bytea NOT NULL,
  position bigint NOT NULL,
  n integer NOT NULL,
  fact json NOT NULL,
  PRIMARY KEY (stream_key, position, n)
);

-- In which streams a server task was seen; the newest is the one it belongs to (K2).
CREATE TABLE attempt_streams (
  attempt_key bytea NOT NULL,
  stream_key bytea NOT NULL,
  last_position bigint NOT NULL,
  PRIMARY KEY (attempt_key, stream_key)
) WITH (fillfactor = 70);

-- K6: a synthetic stream whose events belong to another correlation ID.
CREATE TABLE links (
  synthetic_key bytea PRIMARY KEY,
  real_key bytea NOT NULL,
  real_id text NOT NULL,
  position bigint NOT NULL,
  is_linked boolean NOT NULL
);
CREATE INDEX links_real ON links (real_key) WHERE is_linked;

CREATE TABLE workers (
  worker_key bytea PRIMARY KEY,
  worker_id text NOT NULL,
  first_position bigint NOT NULL,
  mesh text NOT NULL DEFAULT 'default',
  -- The last enrolment: its position and the id of its event.
  enrolled_position bigint,
  enrolment_id text
);
CREATE INDEX workers_mesh ON workers (mesh);
CREATE INDEX workers_order ON workers (first_position, worker_key);

CREATE TABLE worker_facts (
  worker_key bytea NOT NULL,
  position bigint NOT NULL,
  n integer NOT NULL,
  fact json NOT NULL,
  PRIMARY KEY (worker_key, position, n)
);

-- F7 asks whether GetTask for another task was answered by a worker, binding and scope: the newest
-- answers about two tasks can tell, so no more are kept. Written with every answer: room for
-- updates in place.
CREATE TABLE worker_answers (
  worker_key bytea NOT NULL,
  route_key bytea NOT NULL,
  rank smallint NOT NULL CHECK (rank IN (1, 2)),
  fact json NOT NULL,
  PRIMARY KEY (worker_key, route_key, rank)
) WITH (fillfactor = 50);

-- P6: tasks to look at again, because of what was applied at `position`.
CREATE TABLE rechecks (
  stream_key bytea PRIMARY KEY,
  position bigint NOT NULL
);
CREATE INDEX rechecks_position ON rechecks (position);

-- P6: workers whose tasks are to be looked at again; `after_key` is how far that has come.
CREATE TABLE worker_rechecks (
  worker_key bytea NOT NULL,
  reason text NOT NULL CHECK (reason IN ('changed', 'answered')),
  position bigint NOT NULL,
  since_ms bigint NOT NULL,
  after_key bytea NOT NULL DEFAULT '\x',
  PRIMARY KEY (worker_key, reason)
);

-- One row a task, as of the last look at it.
CREATE TABLE task_list (
  stream_key bytea PRIMARY KEY,
  correlation_id text NOT NULL,
  first_position bigint NOT NULL,
  state text NOT NULL,
  last_observed text,
  is_terminal boolean NOT NULL,
  -- As the view shows it.
  verdict json,
  updated_position bigint NOT NULL,
  -- The last position that was applied when it was looked at.
  settled_position bigint NOT NULL,
  -- When its question can be decided; null: nothing is asked.
  due_at_ms bigint,
  -- Undecided or unreconcilable: a new candidate changes that (V6).
  awaits_candidate boolean NOT NULL,
  -- Witness time of its newest event: what happened to a worker before cannot concern it.
  latest_ms bigint NOT NULL,
  -- L11: an event of it could not be folded.
  is_incomplete boolean NOT NULL,
  -- Of everything the task says about its workers: unchanged, it is not written again.
  evidence_digest bytea NOT NULL
);
CREATE UNIQUE INDEX task_list_order ON task_list (first_position);
CREATE INDEX task_list_state ON task_list (state, first_position);
CREATE INDEX task_list_due ON task_list (due_at_ms) WHERE due_at_ms IS NOT NULL;
CREATE INDEX task_list_incomplete ON task_list (stream_key) WHERE is_incomplete;
CREATE INDEX task_list_awaits ON task_list (stream_key) WHERE awaits_candidate;

-- Who took part in a task: one row an attempt, and one with empty task columns a worker.
CREATE TABLE task_participants (
  worker_key bytea NOT NULL,
  stream_key bytea NOT NULL,
  task_key bytea NOT NULL,
  is_open boolean NOT NULL,
  -- It has a not-found that an answer about another task would make strong (F7).
  awaits_answer boolean NOT NULL,
  PRIMARY KEY (worker_key, stream_key, task_key)
);
CREATE INDEX task_participants_stream ON task_participants (stream_key);
CREATE INDEX task_participants_task ON task_participants (task_key) WHERE task_key <> '\x';
CREATE INDEX task_participants_answer ON task_participants (worker_key, stream_key) WHERE awaits_answer;

-- What each task says about its workers (V1): what a worker's view adds up.
CREATE TABLE worker_evidence (
  stream_key bytea NOT NULL,
  n integer NOT NULL,
  worker_key bytea NOT NULL,
  kind text NOT NULL,
  key_hash bytea NOT NULL,
  first_position bigint NOT NULL,
  at_ms bigint NOT NULL,
  evidence json NOT NULL,
  PRIMARY KEY (stream_key, n)
);
CREATE INDEX worker_evidence_first ON worker_evidence (worker_key, kind, key_hash, first_position);
CREATE INDEX worker_evidence_newest ON worker_evidence (worker_key, kind, key_hash, at_ms DESC);

-- Length and digest of content that is more than one stretch, which takes reading it to know.
CREATE TABLE artifact_digests (
  content_key bytea PRIMARY KEY,
  bytes bigint NOT NULL,
  digest text NOT NULL
);

-- What callers told us under an Idempotency-Key: the first body counts.
CREATE TABLE questions (
  event_key bytea PRIMARY KEY,
  body_digest text NOT NULL,
  position bigint NOT NULL,
  correlation_id text NOT NULL,
  worker_id text,
  task_id text
);

DO $$
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO a2a_ledger_reconciler', current_schema);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %I TO a2a_ledger_reconciler', current_schema);
END
$$;
