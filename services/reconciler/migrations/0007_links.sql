-- Who made a link, and why; null: the ledger found it. `synthetic_id` for the list of links.
ALTER TABLE links ADD COLUMN synthetic_id text;
ALTER TABLE links ADD COLUMN by_whom text;
ALTER TABLE links ADD COLUMN because text;
UPDATE links SET synthetic_id = streams.correlation_id FROM streams WHERE streams.stream_key = links.synthetic_key;
UPDATE links SET synthetic_id = '' WHERE synthetic_id IS NULL;
ALTER TABLE links ALTER COLUMN synthetic_id SET NOT NULL;
CREATE INDEX links_order ON links (position) WHERE is_linked;

-- A task that lost its first events to another one begins later, moments before the list knows.
DROP INDEX task_list_order;
CREATE INDEX task_list_order ON task_list (first_position);
