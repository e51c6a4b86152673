-- Partitions of a feed come out of order of each other: a task that is queued for the event at
-- `position` may wait for an earlier one too. Its list row is as of what came before this.
ALTER TABLE rechecks ADD COLUMN since_position bigint;
UPDATE rechecks SET since_position = position;
ALTER TABLE rechecks ALTER COLUMN since_position SET NOT NULL;
DROP INDEX rechecks_position;
CREATE INDEX rechecks_since ON rechecks (since_position);
