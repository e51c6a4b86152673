-- Links that people make and undo, and what turns out differently when a dispatch is recorded late.
-- Append-only as before: the newest row counts.

-- Null: from here on the task is nobody's. `taught`: by what it was bound, weakest first.
ALTER TABLE ledger.task_link ALTER COLUMN correlation_id DROP NOT NULL;
ALTER TABLE ledger.task_link ADD COLUMN taught text NOT NULL DEFAULT 'statement'
  CHECK (taught IN ('claim', 'message', 'statement', 'answer'));

-- When the message was sent (K3); 0 for what was recorded before this was kept.
ALTER TABLE ledger.message_link ADD COLUMN witness_ms bigint NOT NULL DEFAULT 0;

-- When what waits was seen, and whether it answered a send. claim_hash may also be that of a
-- correlation ID: claims to it from before any dispatch was known (K1).
ALTER TABLE ledger.open_claim ADD COLUMN witness_ms bigint NOT NULL DEFAULT 0;
ALTER TABLE ledger.open_claim ADD COLUMN is_answer boolean NOT NULL DEFAULT false;

ALTER TABLE ledger.alias ADD COLUMN is_linked boolean NOT NULL DEFAULT true;
ALTER TABLE ledger.alias ADD COLUMN is_by_hand boolean NOT NULL DEFAULT false;

-- K2: where the first event on the stream of a call went, the others follow.
CREATE TABLE ledger.stream_link (
  stream_hash bytea PRIMARY KEY,
  position bigint NOT NULL,
  correlation_id text NOT NULL,
  task_hash bytea
);

-- What only a claim, a message or a link had put into one stream about a server task, from position
-- `since` up to `position`, is of another one.
CREATE TABLE ledger.move (
  position bigint PRIMARY KEY,
  task_hash bytea NOT NULL,
  since bigint NOT NULL,
  from_hash bytea NOT NULL,
  from_id text NOT NULL,
  to_hash bytea NOT NULL,
  to_id text NOT NULL
);
CREATE INDEX move_from ON ledger.move (from_hash, position);
CREATE INDEX move_to ON ledger.move (to_hash, position);

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['stream_link', 'move'] LOOP
    EXECUTE format('CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE ON ledger.%I
      FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change()', name);
    EXECUTE format('CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON ledger.%I
      FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change()', name);
  END LOOP;
END
$$;
GRANT SELECT, INSERT ON ledger.stream_link, ledger.move TO a2a_ledger_service;

ALTER TABLE ledger.events DROP CONSTRAINT events_rung_check;
ALTER TABLE ledger.events ADD CONSTRAINT events_rung_check CHECK (rung IN (
  'explicit', 'claim', 'task-link', 'message-link', 'stream-link', 'metadata', 'attribute', 'trace', 'context',
  'synthetic'
));
