CREATE TABLE artifact_digests (
  content_key bytea NOT NULL,
  bytes bigint NOT NULL,
  digest text NOT NULL,
  PRIMARY KEY (content_key)
);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE attempt_streams (
  attempt_key bytea NOT NULL,
  stream_key bytea NOT NULL,
  last_position bigint NOT NULL,
  PRIMARY KEY (attempt_key, stream_key)
);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE decisions (
  decision_key bytea NOT NULL,
  stream_key bytea NOT NULL,
  PRIMARY KEY (decision_key)
);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE exchanges (
  worker_key bytea NOT NULL,
  source_key bytea NOT NULL,
  exchange_key bytea NOT NULL,
  "position" bigint NOT NULL,
  at_ms bigint NOT NULL,
  is_send boolean NOT NULL,
  message_id text,
  content_digest text,
  PRIMARY KEY (worker_key, source_key, exchange_key)
);
CREATE INDEX exchanges_order ON reconciler.exchanges USING btree (worker_key, source_key, "position" DESC);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE facts (
  stream_key bytea NOT NULL,
  "position" bigint NOT NULL,
  n integer NOT NULL,
  fact json,
  PRIMARY KEY (stream_key, "position", n)
);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE feed_members (
  member text NOT NULL,
  lease_until timestamp with time zone NOT NULL,
  PRIMARY KEY (member)
);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE feed_offsets (
  feed_group text NOT NULL,
  feed_partition integer NOT NULL,
  next_position bigint NOT NULL DEFAULT 1,
  fencing_epoch bigint NOT NULL DEFAULT 0,
  owner text,
  lease_until timestamp with time zone,
  PRIMARY KEY (feed_group, feed_partition)
);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE feed_partitions (
  feed_group text NOT NULL,
  topic text NOT NULL,
  partition integer NOT NULL,
  next_offset bigint,
  complete_position bigint NOT NULL DEFAULT 0,
  fencing_epoch bigint NOT NULL DEFAULT 0,
  owner text,
  lease_until timestamp with time zone,
  PRIMARY KEY (feed_group, topic, partition)
);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE inside_facts (
  stream_key bytea NOT NULL,
  "position" bigint NOT NULL,
  n integer NOT NULL,
  fact json NOT NULL,
  PRIMARY KEY (stream_key, "position", n)
);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE kin_marks (
  kind text NOT NULL,
  mark_key bytea NOT NULL,
  stream_key bytea NOT NULL,
  "position" bigint NOT NULL,
  PRIMARY KEY (kind, mark_key, stream_key),
  CHECK ((kind = ANY (ARRAY['parent'::text, 'reference'::text, 'trace'::text])))
);
CREATE INDEX kin_marks_order ON reconciler.kin_marks USING btree (kind, mark_key, "position");
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE link_marks (
  stream_key bytea NOT NULL,
  reason text NOT NULL,
  worker_key bytea NOT NULL,
  mark_key bytea NOT NULL,
  at_ms bigint NOT NULL,
  "position" bigint NOT NULL,
  has_task boolean NOT NULL,
  is_synthetic boolean NOT NULL,
  PRIMARY KEY (stream_key, reason, worker_key, mark_key)
);
CREATE INDEX link_marks_equal ON reconciler.link_marks USING btree (mark_key, reason, at_ms);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE links (
  synthetic_key bytea NOT NULL,
  real_key bytea NOT NULL,
  real_id text NOT NULL,
  "position" bigint NOT NULL,
  is_linked boolean NOT NULL,
  synthetic_id text NOT NULL,
  by_whom text,
  because text,
  PRIMARY KEY (synthetic_key)
);
CREATE INDEX links_order ON reconciler.links USING btree ("position") WHERE is_linked;
CREATE INDEX links_real ON reconciler.links USING btree (real_key) WHERE is_linked;
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE mesh_acts (
  mesh_key bytea NOT NULL,
  recorded_ms bigint NOT NULL,
  "position" bigint NOT NULL,
  mesh text NOT NULL,
  act text NOT NULL,
  PRIMARY KEY (mesh_key, recorded_ms, "position")
);
CREATE INDEX mesh_acts_recent ON reconciler.mesh_acts USING btree (recorded_ms);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE mesh_permits (
  mesh_key bytea NOT NULL,
  intent_key bytea NOT NULL,
  taken_ms bigint NOT NULL,
  PRIMARY KEY (mesh_key, intent_key)
);
CREATE INDEX mesh_permits_recent ON reconciler.mesh_permits USING btree (mesh_key, taken_ms);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE meshes (
  mesh_key bytea NOT NULL,
  mesh text NOT NULL,
  policy json NOT NULL,
  "position" bigint NOT NULL,
  event_id text NOT NULL,
  PRIMARY KEY (mesh_key)
);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE meta (
  is_only boolean NOT NULL DEFAULT true,
  ledger_id text,
  epoch integer,
  fold_version integer NOT NULL,
  PRIMARY KEY (is_only),
  CHECK (((ledger_id IS NULL) = (epoch IS NULL))),
  CHECK (is_only)
);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE migration (
  version integer NOT NULL,
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (version)
);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE observed_workers (
  worker_key bytea NOT NULL,
  worker_id text NOT NULL,
  is_enabled boolean NOT NULL,
  PRIMARY KEY (worker_key)
);
CREATE INDEX observed_workers_enabled ON reconciler.observed_workers USING btree (worker_key) WHERE is_enabled;
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE probe_moments (
  worker_key bytea NOT NULL,
  "position" bigint NOT NULL,
  probe_key bytea NOT NULL,
  fact json NOT NULL,
  PRIMARY KEY (worker_key, "position")
);
CREATE INDEX probe_moments_probe ON reconciler.probe_moments USING btree (probe_key, "position");
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE probe_schedules (
  worker_key bytea NOT NULL,
  worker_id text NOT NULL,
  is_enabled boolean NOT NULL DEFAULT false,
  every_ms bigint,
  planned_at_ms bigint,
  PRIMARY KEY (worker_key)
);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE probe_words (
  worker_key bytea NOT NULL,
  subject_key bytea NOT NULL,
  "position" bigint NOT NULL,
  PRIMARY KEY (worker_key, subject_key)
);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE probes (
  probe_key bytea NOT NULL,
  worker_id text NOT NULL,
  probe_id text NOT NULL,
  last_position bigint NOT NULL,
  is_closed boolean NOT NULL,
  PRIMARY KEY (probe_key)
);
CREATE INDEX probes_open ON reconciler.probes USING btree (last_position) WHERE (NOT is_closed);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE questions (
  event_key bytea NOT NULL,
  body_digest text NOT NULL,
  "position" bigint NOT NULL,
  correlation_id text NOT NULL,
  worker_id text,
  task_id text,
  PRIMARY KEY (event_key)
);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE rechecks (
  stream_key bytea NOT NULL,
  "position" bigint NOT NULL,
  since_position bigint NOT NULL,
  PRIMARY KEY (stream_key)
);
CREATE INDEX rechecks_since ON reconciler.rechecks USING btree (since_position);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE streams (
  stream_key bytea NOT NULL,
  correlation_id text NOT NULL,
  first_position bigint NOT NULL,
  last_position bigint NOT NULL,
  compacted_until_ms bigint,
  compacted_count integer NOT NULL DEFAULT 0,
  PRIMARY KEY (stream_key)
);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE suggested_links (
  earlier_key bytea NOT NULL,
  later_key bytea NOT NULL,
  reason text NOT NULL,
  earlier_worker_key bytea NOT NULL,
  later_worker_key bytea NOT NULL,
  earlier_position bigint NOT NULL,
  later_position bigint NOT NULL,
  have_tasks boolean NOT NULL,
  PRIMARY KEY (earlier_key, later_key)
);
CREATE INDEX suggested_links_later ON reconciler.suggested_links USING btree (later_key);
CREATE INDEX suggested_links_order ON reconciler.suggested_links USING btree (later_position, earlier_position);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE task_list (
  stream_key bytea NOT NULL,
  correlation_id text NOT NULL,
  first_position bigint NOT NULL,
  state text NOT NULL,
  last_observed text,
  is_terminal boolean NOT NULL,
  verdict json,
  updated_position bigint NOT NULL,
  settled_position bigint NOT NULL,
  due_at_ms bigint,
  awaits_candidate boolean NOT NULL,
  latest_ms bigint NOT NULL,
  is_incomplete boolean NOT NULL,
  evidence_digest bytea NOT NULL,
  open_intent_count integer NOT NULL DEFAULT 0,
  open_intent_since_ms bigint,
  waiting_since_ms bigint,
  PRIMARY KEY (stream_key)
);
CREATE INDEX task_list_awaits ON reconciler.task_list USING btree (stream_key) WHERE awaits_candidate;
CREATE INDEX task_list_due ON reconciler.task_list USING btree (due_at_ms) WHERE (due_at_ms IS NOT NULL);
CREATE INDEX task_list_incomplete ON reconciler.task_list USING btree (stream_key) WHERE is_incomplete;
CREATE INDEX task_list_open_intents ON reconciler.task_list USING btree (open_intent_since_ms) WHERE (open_intent_count > 0);
CREATE INDEX task_list_order ON reconciler.task_list USING btree (first_position);
CREATE INDEX task_list_state ON reconciler.task_list USING btree (state, first_position);
CREATE INDEX task_list_waiting ON reconciler.task_list USING btree (waiting_since_ms) WHERE (waiting_since_ms IS NOT NULL);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE task_participants (
  worker_key bytea NOT NULL,
  stream_key bytea NOT NULL,
  task_key bytea NOT NULL,
  is_open boolean NOT NULL,
  awaits_answer boolean NOT NULL,
  PRIMARY KEY (worker_key, stream_key, task_key)
);
CREATE INDEX task_participants_answer ON reconciler.task_participants USING btree (worker_key, stream_key) WHERE awaits_answer;
CREATE INDEX task_participants_open ON reconciler.task_participants USING btree (worker_key) WHERE is_open;
CREATE INDEX task_participants_stream ON reconciler.task_participants USING btree (stream_key);
CREATE INDEX task_participants_task ON reconciler.task_participants USING btree (task_key) WHERE (task_key <> '\x'::bytea);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE worker_answers (
  worker_key bytea NOT NULL,
  route_key bytea NOT NULL,
  rank smallint NOT NULL,
  fact json NOT NULL,
  PRIMARY KEY (worker_key, route_key, rank),
  CHECK ((rank = ANY (ARRAY[1, 2])))
);
-- a2a_ledger_reconciler may delete, insert, select, update

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
CREATE INDEX worker_evidence_first ON reconciler.worker_evidence USING btree (worker_key, kind, key_hash, first_position);
CREATE INDEX worker_evidence_latest ON reconciler.worker_evidence USING btree (worker_key, kind, at_ms DESC, first_position DESC);
CREATE INDEX worker_evidence_newest ON reconciler.worker_evidence USING btree (worker_key, kind, key_hash, at_ms DESC);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE worker_facts (
  worker_key bytea NOT NULL,
  "position" bigint NOT NULL,
  n integer NOT NULL,
  fact json NOT NULL,
  PRIMARY KEY (worker_key, "position", n)
);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE worker_listings (
  attempt_key bytea NOT NULL,
  at_ms bigint NOT NULL,
  "position" bigint NOT NULL,
  fact json NOT NULL,
  PRIMARY KEY (attempt_key)
);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE worker_rechecks (
  worker_key bytea NOT NULL,
  reason text NOT NULL,
  "position" bigint NOT NULL,
  since_ms bigint NOT NULL,
  after_key bytea NOT NULL DEFAULT '\x'::bytea,
  PRIMARY KEY (worker_key, reason),
  CHECK ((reason = ANY (ARRAY['changed'::text, 'answered'::text])))
);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE worker_secrets (
  worker_key bytea NOT NULL,
  "position" bigint NOT NULL,
  headers json NOT NULL,
  PRIMARY KEY (worker_key)
);
-- a2a_ledger_reconciler may delete, insert, select, update

CREATE TABLE workers (
  worker_key bytea NOT NULL,
  worker_id text NOT NULL,
  first_position bigint NOT NULL,
  mesh text NOT NULL DEFAULT 'default'::text,
  enrolled_position bigint,
  enrolment_id text,
  is_trusted boolean NOT NULL DEFAULT false,
  is_probed boolean NOT NULL DEFAULT false,
  can_take_over boolean NOT NULL DEFAULT (is_trusted OR is_probed),
  PRIMARY KEY (worker_key)
);
CREATE INDEX workers_mesh ON reconciler.workers USING btree (mesh, can_take_over DESC, ((enrolled_position IS NULL)), first_position);
CREATE INDEX workers_order ON reconciler.workers USING btree (first_position, worker_key);
-- a2a_ledger_reconciler may delete, insert, select, update
