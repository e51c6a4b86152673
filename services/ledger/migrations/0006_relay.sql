-- Who publishes the feed to Kafka and how far it is (P1, P3). Not append-only: what was published
-- can be read in the topic; this is where to go on, and the term is what fences an earlier relay.

-- One row a feed topic.
CREATE TABLE ledger.relay (
  topic text PRIMARY KEY,
  -- Rises with every relay that takes over. Every change of the cursor names its own.
  term bigint NOT NULL DEFAULT 0,
  owner text,
  lease_until timestamptz,
  -- Everything up to here is published.
  position bigint NOT NULL DEFAULT 0
);

-- One row a partition. How many there are is fixed for the life of the topic, since the partition
-- of a correlation ID depends on it.
CREATE TABLE ledger.relay_partition (
  topic text NOT NULL,
  partition integer NOT NULL,
  -- The last event that was published to it: `prev` of the next one.
  last_position bigint NOT NULL DEFAULT 0,
  -- Behind our last record. A topic that ends before it was deleted and made again.
  next_offset bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (topic, partition)
);

-- For readers: by how many partitions the correlation IDs of a feed topic are spread.
CREATE VIEW ledger.relay_v1 AS
SELECT relay.topic, relay.position, count(relay_partition.partition)::integer AS partition_count
FROM ledger.relay
JOIN ledger.relay_partition ON relay_partition.topic = relay.topic
GROUP BY relay.topic, relay.position;

GRANT SELECT, INSERT, UPDATE ON ledger.relay, ledger.relay_partition TO a2a_ledger_service;
GRANT SELECT ON ledger.feed_v1 TO a2a_ledger_service;
GRANT SELECT ON ledger.relay_v1 TO a2a_ledger_reader;
