-- Which workers are to be asked about their tasks: of each that was ever enrolled with `observe` the last word on it.
CREATE TABLE observed_workers (
  worker_key bytea PRIMARY KEY,
  worker_id text NOT NULL,
  is_enabled boolean NOT NULL
);
INSERT INTO observed_workers (worker_key, worker_id, is_enabled)
SELECT DISTINCT ON (worker_key) worker_key, fact ->> 'workerId', (fact #>> '{settings,observe,enabled}')::boolean
  FROM worker_facts WHERE fact ->> 'kind' = 'enrolled' AND fact #>> '{settings,observe,enabled}' IS NOT NULL
 ORDER BY worker_key, position DESC;
CREATE INDEX observed_workers_enabled ON observed_workers (worker_key) WHERE is_enabled;

-- Its open tasks, which are few among all that it ever had.
CREATE INDEX task_participants_open ON task_participants (worker_key) WHERE is_open;

GRANT SELECT, INSERT, UPDATE, DELETE ON observed_workers TO a2a_ledger_reconciler;
