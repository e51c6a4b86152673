-- What the correlation ladder (K1-K6) knows beside the events themselves. All append-only: the
-- newest row counts, and each row names the event that taught it.

-- Rung 3: the logical task that a server task belongs to from `position` on (K2).
CREATE TABLE ledger.task_link (
  task_hash bytea NOT NULL,
  position bigint NOT NULL,
  correlation_id text NOT NULL,
  PRIMARY KEY (task_hash, position)
);

-- Rung 4: one row a dispatch. A message id with two correlation IDs links nothing (K3).
CREATE TABLE ledger.message_link (
  message_hash bytea NOT NULL,
  position bigint NOT NULL,
  correlation_id text NOT NULL,
  named_task_hash bytea,
  PRIMARY KEY (message_hash, position)
);

-- K1: to whom a logical task was sent, and which server task the message named.
CREATE TABLE ledger.dispatch (
  correlation_hash bytea NOT NULL,
  worker_hash bytea NOT NULL,
  position bigint NOT NULL,
  named_task_hash bytea,
  PRIMARY KEY (correlation_hash, worker_hash, position)
);
CREATE INDEX dispatch_named_task ON ledger.dispatch (correlation_hash, worker_hash, named_task_hash)
  WHERE named_task_hash IS NOT NULL;

-- Tasks in synthetic streams that would be linked by a dispatch nobody has recorded yet:
-- claim_hash is that of (correlation, worker) or of (worker, message).
CREATE TABLE ledger.open_claim (
  claim_hash bytea NOT NULL,
  task_hash bytea NOT NULL,
  position bigint NOT NULL,
  worker_id text NOT NULL,
  task_id text NOT NULL,
  PRIMARY KEY (claim_hash, task_hash)
);

-- Synthetic streams that hold events: only they need an alias when their task is linked.
CREATE TABLE ledger.synthetic_stream (
  stream_hash bytea PRIMARY KEY,
  position bigint NOT NULL
);

-- L13: a listing that repeats itself is news again after a restart of the worker.
CREATE TABLE ledger.worker_restart (
  worker_hash bytea NOT NULL,
  position bigint NOT NULL,
  PRIMARY KEY (worker_hash, position)
);

-- K6: the standing alias of a synthetic stream; the newest row counts.
CREATE TABLE ledger.alias (
  from_hash bytea NOT NULL,
  position bigint NOT NULL,
  from_id text NOT NULL,
  to_hash bytea NOT NULL,
  to_id text NOT NULL,
  PRIMARY KEY (from_hash, position)
);
CREATE INDEX alias_to ON ledger.alias (to_hash);

-- Salted hashes of push tokens and credentials (L10), for a worker, a task or a logical task at a
-- worker. Several at once are valid: a configuration adds, it does not replace.
CREATE TABLE ledger.push_secret (
  subject_hash bytea NOT NULL,
  secret_hash bytea NOT NULL,
  position bigint NOT NULL,
  PRIMARY KEY (subject_hash, secret_hash)
);
