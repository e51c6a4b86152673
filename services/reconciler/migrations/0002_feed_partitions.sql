-- How far each partition of a Kafka feed is applied, and who may go on (P5). The epoch rises with
-- every process that takes the partition over, so that a commit of an earlier one fails.
CREATE TABLE feed_partitions (
  feed_group text NOT NULL,
  topic text NOT NULL,
  partition integer NOT NULL,
  -- Null: never read from the topic.
  next_offset bigint,
  -- Every event of the partition up to this position is applied.
  complete_position bigint NOT NULL DEFAULT 0,
  fencing_epoch bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (feed_group, topic, partition)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON feed_partitions TO a2a_ledger_reconciler;
