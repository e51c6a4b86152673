-- The log itself. Positions are dense and commit-ordered because every append holds append_lock
-- (L4); keys live apart from events, because a unique key of a table that is partitioned by
-- position would have to contain the position (L3). All lookups go by 16-byte hashes, never by
-- caller text, which can be longer than a b-tree entry.

-- One row: which log this is (L7), and the two secrets of the deployment.
CREATE TABLE ledger.identity (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  ledger_id uuid NOT NULL DEFAULT gen_random_uuid(),
  epoch integer NOT NULL DEFAULT 1,
  internal_token text NOT NULL DEFAULT replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''),
  secret_salt bytea NOT NULL
    DEFAULT decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex')
);
INSERT INTO ledger.identity DEFAULT VALUES;

-- Never holds a row: taking it in EXCLUSIVE mode is what makes appends one after the other.
CREATE TABLE ledger.append_lock (nothing boolean CHECK (nothing));

CREATE TABLE ledger.events (
  position bigint NOT NULL PRIMARY KEY CHECK (position > 0),
  recorded_at timestamptz NOT NULL,
  tenant text NOT NULL,
  event_type text NOT NULL,
  -- Every CloudEvents attribute as received. `json`, not `jsonb`: NUL and half surrogates stay.
  attributes json NOT NULL,
  correlation_id text NOT NULL,
  correlation_hash bytea NOT NULL,
  rung text NOT NULL CHECK (rung IN ('explicit', 'claim', 'task-link', 'message-link', 'synthetic')),
  refused_code text CHECK (refused_code IN ('correlation_claimed', 'correlation_conflict')),
  refused_correlation_id text,
  worker_hash bytea,
  task_hash bytea,
  derived_from bigint,
  canonical json NOT NULL,
  -- The event that first stored these bytes: identical answers share one payload row (L13).
  payload_position bigint NOT NULL,
  CHECK ((refused_code IS NULL) = (refused_correlation_id IS NULL))
) PARTITION BY RANGE (position);

CREATE INDEX events_correlation ON ledger.events (correlation_hash, position);
CREATE INDEX events_worker ON ledger.events (worker_hash, position) WHERE worker_hash IS NOT NULL;
CREATE INDEX events_task ON ledger.events (task_hash, position) WHERE task_hash IS NOT NULL;

-- What an erasure must be able to remove: the bytes and their digest, and nothing else (L9).
CREATE TABLE ledger.payloads (
  position bigint NOT NULL PRIMARY KEY,
  digest bytea NOT NULL,
  data bytea NOT NULL
) PARTITION BY RANGE (position);

CREATE INDEX payloads_digest ON ledger.payloads USING hash (digest);

-- Outlives archived events, so that an old event sent again is still a duplicate.
CREATE TABLE ledger.event_key (
  key_hash bytea PRIMARY KEY,
  position bigint NOT NULL,
  content_hash bytea NOT NULL
);

-- Raw input that cannot be understood or believed: kept whole, with the reason, replayable (L11).
CREATE TABLE ledger.quarantine (
  id text PRIMARY KEY,
  arrival bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  reason text NOT NULL,
  detail text NOT NULL,
  via text NOT NULL CHECK (via IN ('http', 'kafka', 'push', 'internal')),
  source text,
  headers json NOT NULL,
  attributes json,
  bytes bytea NOT NULL
);
CREATE INDEX quarantine_reason ON ledger.quarantine (reason, arrival);

CREATE TABLE ledger.quarantine_replay (
  id text NOT NULL,
  position bigint NOT NULL,
  PRIMARY KEY (id, position)
);
