-- Several processes share the Postgres tail: its hash slots are partitions as those of a topic, each
-- leased to one process by the database's clock. They are made by the first process that takes some,
-- where the single lease of feed_offsets was: until then processes that lead by it go on.
ALTER TABLE feed_partitions ADD COLUMN owner text;
ALTER TABLE feed_partitions ADD COLUMN lease_until timestamptz;

-- Processes that follow the tail, and until when they count as living.
CREATE TABLE feed_members (
  member text PRIMARY KEY,
  lease_until timestamptz NOT NULL
);

GRANT SELECT, INSERT, UPDATE, DELETE ON feed_members TO a2a_ledger_reconciler;
