-- What other services may read of this database (P7). Published: columns are added, never changed
-- or removed; a change of meaning is a new view with a new number.

-- Every event by position. `correlation_key` is indexed; `digest` and `data` are null when erased.
CREATE VIEW ledger.feed_v1 AS
SELECT
  identity.ledger_id,
  identity.epoch,
  events.position,
  (extract(epoch FROM events.recorded_at) * 1000)::bigint AS recorded_at_ms,
  events.attributes,
  events.correlation_id,
  events.correlation_hash AS correlation_key,
  events.rung,
  events.refused_code,
  events.refused_correlation_id,
  events.derived_from,
  'sha256:' || encode(payloads.digest, 'hex') AS digest,
  payloads.data
FROM ledger.events
CROSS JOIN ledger.identity
LEFT JOIN ledger.payloads ON payloads.position = events.payload_position;

-- What the services of one deployment need to know each other by.
CREATE VIEW ledger.access_v1 AS
SELECT internal_token FROM ledger.identity;

GRANT SELECT ON ledger.feed_v1, ledger.access_v1 TO a2a_ledger_reader;
