-- L12: the database itself refuses to change what is recorded, to the owner of the tables too.

CREATE FUNCTION ledger.refuse_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% of %.% is refused: the ledger is append-only', TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME
    USING ERRCODE = 'insufficient_privilege';
END
$$;

-- The one exception: an erasure removes bytes, and works as a role of its own (L9).
CREATE FUNCTION ledger.refuse_delete_but_erasure() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF current_user <> 'a2a_ledger_eraser' THEN
    RAISE EXCEPTION 'DELETE of %.% is refused: only a2a_ledger_eraser erases', TG_TABLE_SCHEMA, TG_TABLE_NAME
      USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN OLD;
END
$$;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY[
    'events', 'event_key', 'quarantine_replay', 'task_link', 'message_link', 'dispatch',
    'open_claim', 'synthetic_stream', 'worker_restart', 'alias', 'push_secret'
  ] LOOP
    EXECUTE format('CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE ON ledger.%I
      FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change()', name);
    EXECUTE format('CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON ledger.%I
      FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change()', name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['payloads', 'quarantine'] LOOP
    EXECUTE format('CREATE TRIGGER refuse_update BEFORE UPDATE ON ledger.%I
      FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change()', name);
    EXECUTE format('CREATE TRIGGER refuse_delete BEFORE DELETE ON ledger.%I
      FOR EACH ROW EXECUTE FUNCTION ledger.refuse_delete_but_erasure()', name);
    EXECUTE format('CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON ledger.%I
      FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change()', name);
  END LOOP;
END
$$;

-- Makes every partition up to position `upto` and answers the first position that has none.
-- The service may call it and create nothing else. Partitions are attached, not created in place:
-- that lock lets appends and reads go on. Row triggers come with the parent, TRUNCATE's do not.
CREATE FUNCTION ledger.make_partitions(upto bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  size CONSTANT bigint := 1000000;
  head bigint;
  made bigint;
  parent text;
  part text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('ledger.make_partitions'));
  SELECT coalesce(max(substring(relname FROM 'events_p(\d+)$')::bigint) + 1, 0) INTO made
    FROM pg_class WHERE relnamespace = 'ledger'::regnamespace AND relname ~ '^events_p\d+$';
  SELECT coalesce(max(position), 0) INTO head FROM ledger.events;
  IF upto > head + 10 * size THEN
    RAISE EXCEPTION 'partitions are made for at most % positions ahead', 10 * size;
  END IF;
  WHILE made * size <= upto LOOP
    FOREACH parent IN ARRAY ARRAY['events', 'payloads'] LOOP
      part := format('%s_p%s', parent, lpad(made::text, 6, '0'));
      EXECUTE format('CREATE TABLE ledger.%I (LIKE ledger.%I INCLUDING ALL)', part, parent);
      EXECUTE format('ALTER TABLE ledger.%I ATTACH PARTITION ledger.%I FOR VALUES FROM (%s) TO (%s)',
        parent, part, made * size, (made + 1) * size);
      EXECUTE format('CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON ledger.%I
        FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change()', part);
    END LOOP;
    made := made + 1;
  END LOOP;
  RETURN made * size;
END
$$;

SELECT ledger.make_partitions(1000000);

REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA ledger FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger.make_partitions(bigint) TO a2a_ledger_service;
GRANT SELECT ON ledger.identity, ledger.migration TO a2a_ledger_service;
-- LOCK TABLE asks for a right to change the table; there is nothing in it to change.
GRANT SELECT, UPDATE ON ledger.append_lock TO a2a_ledger_service;
GRANT SELECT, INSERT ON
  ledger.events, ledger.payloads, ledger.event_key, ledger.quarantine, ledger.quarantine_replay,
  ledger.task_link, ledger.message_link, ledger.dispatch, ledger.open_claim,
  ledger.synthetic_stream, ledger.worker_restart, ledger.alias, ledger.push_secret
  TO a2a_ledger_service;
GRANT SELECT, DELETE ON ledger.payloads, ledger.quarantine TO a2a_ledger_eraser;
