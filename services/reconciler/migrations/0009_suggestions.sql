-- Sends and answers that no correlation ID was found for: what a synthetic task was sent is found here.
-- One row a send, and one a server task that answered: the first answer that named it.
CREATE TABLE exchanges (
  worker_key bytea NOT NULL,
  source_key bytea NOT NULL,
  exchange_key bytea NOT NULL,
  position bigint NOT NULL,
  at_ms bigint NOT NULL,
  is_send boolean NOT NULL,
  message_id text,
  content_digest text,
  PRIMARY KEY (worker_key, source_key, exchange_key)
) WITH (fillfactor = 80);
CREATE INDEX exchanges_order ON exchanges (worker_key, source_key, position DESC);

-- What a task bears that may show that it is the same work as another one.
CREATE TABLE link_marks (
  stream_key bytea NOT NULL,
  reason text NOT NULL,
  worker_key bytea NOT NULL,
  mark_key bytea NOT NULL,
  at_ms bigint NOT NULL,
  position bigint NOT NULL,
  has_task boolean NOT NULL,
  is_synthetic boolean NOT NULL,
  PRIMARY KEY (stream_key, reason, worker_key, mark_key)
);
CREATE INDEX link_marks_equal ON link_marks (mark_key, reason, at_ms);

-- Pairs of tasks that share a mark; never merged until a person says so.
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
CREATE INDEX suggested_links_later ON suggested_links (later_key);
CREATE INDEX suggested_links_order ON suggested_links (later_position, earlier_position);

GRANT SELECT, INSERT, UPDATE, DELETE ON exchanges, link_marks, suggested_links TO a2a_ledger_reconciler;
