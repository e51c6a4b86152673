CREATE TABLE alias (
  from_hash bytea NOT NULL,
  "position" bigint NOT NULL,
  from_id text NOT NULL,
  to_hash bytea NOT NULL,
  to_id text NOT NULL,
  is_linked boolean NOT NULL DEFAULT true,
  is_by_hand boolean NOT NULL DEFAULT false,
  PRIMARY KEY (from_hash, "position")
);
CREATE INDEX alias_to ON ledger.alias USING btree (to_hash);
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON ledger.alias FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON ledger.alias FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
-- a2a_ledger_service may insert, select

CREATE TABLE append_lock (
  nothing boolean,
  CHECK (nothing)
);
-- a2a_ledger_service may select, update

CREATE TABLE dispatch (
  correlation_hash bytea NOT NULL,
  worker_hash bytea NOT NULL,
  "position" bigint NOT NULL,
  named_task_hash bytea,
  PRIMARY KEY (correlation_hash, worker_hash, "position")
);
CREATE INDEX dispatch_named_task ON ledger.dispatch USING btree (correlation_hash, worker_hash, named_task_hash) WHERE (named_task_hash IS NOT NULL);
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON ledger.dispatch FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON ledger.dispatch FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
-- a2a_ledger_service may insert, select

CREATE TABLE event_key (
  key_hash bytea NOT NULL,
  "position" bigint NOT NULL,
  content_hash bytea NOT NULL,
  PRIMARY KEY (key_hash)
);
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON ledger.event_key FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON ledger.event_key FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
-- a2a_ledger_service may insert, select

CREATE TABLE events (
  "position" bigint NOT NULL,
  recorded_at timestamp with time zone NOT NULL,
  tenant text NOT NULL,
  event_type text NOT NULL,
  attributes json NOT NULL,
  correlation_id text NOT NULL,
  correlation_hash bytea NOT NULL,
  rung text NOT NULL,
  refused_code text,
  refused_correlation_id text,
  worker_hash bytea,
  task_hash bytea,
  derived_from bigint,
  canonical json NOT NULL,
  payload_position bigint NOT NULL,
  PRIMARY KEY ("position"),
  CHECK (("position" > 0)),
  CHECK (((refused_code IS NULL) = (refused_correlation_id IS NULL))),
  CHECK ((refused_code = ANY (ARRAY['correlation_claimed'::text, 'correlation_conflict'::text]))),
  CHECK ((rung = ANY (ARRAY['explicit'::text, 'claim'::text, 'task-link'::text, 'message-link'::text, 'stream-link'::text, 'metadata'::text, 'attribute'::text, 'trace'::text, 'context'::text, 'synthetic'::text])))
) PARTITION BY RANGE ("position");
CREATE INDEX events_correlation ON ONLY ledger.events USING btree (correlation_hash, "position");
CREATE INDEX events_task ON ONLY ledger.events USING btree (task_hash, "position") WHERE (task_hash IS NOT NULL);
CREATE INDEX events_worker ON ONLY ledger.events USING btree (worker_hash, "position") WHERE (worker_hash IS NOT NULL);
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON ledger.events FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON ledger.events FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
-- a2a_ledger_service may insert, select

CREATE TABLE identity (
  is_only boolean NOT NULL DEFAULT true,
  ledger_id uuid NOT NULL DEFAULT gen_random_uuid(),
  epoch integer NOT NULL DEFAULT 1,
  internal_token text NOT NULL DEFAULT replace(((gen_random_uuid())::text || (gen_random_uuid())::text), '-'::text, ''::text),
  secret_salt bytea NOT NULL DEFAULT decode(replace(((gen_random_uuid())::text || (gen_random_uuid())::text), '-'::text, ''::text), 'hex'::text),
  PRIMARY KEY (is_only),
  CHECK (is_only)
);
-- a2a_ledger_service may select

CREATE TABLE mesh_rules (
  mesh_hash bytea NOT NULL,
  "position" bigint NOT NULL,
  rules json NOT NULL,
  PRIMARY KEY (mesh_hash, "position")
);
CREATE INDEX mesh_rules_position ON ledger.mesh_rules USING btree ("position");
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON ledger.mesh_rules FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON ledger.mesh_rules FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
-- a2a_ledger_service may insert, select

CREATE TABLE message_link (
  message_hash bytea NOT NULL,
  "position" bigint NOT NULL,
  correlation_id text NOT NULL,
  named_task_hash bytea,
  witness_ms bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (message_hash, "position")
);
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON ledger.message_link FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON ledger.message_link FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
-- a2a_ledger_service may insert, select

CREATE TABLE migration (
  version integer NOT NULL,
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (version)
);
-- a2a_ledger_service may select

CREATE TABLE move (
  "position" bigint NOT NULL,
  task_hash bytea NOT NULL,
  since bigint NOT NULL,
  from_hash bytea NOT NULL,
  from_id text NOT NULL,
  to_hash bytea NOT NULL,
  to_id text NOT NULL,
  PRIMARY KEY ("position")
);
CREATE INDEX move_from ON ledger.move USING btree (from_hash, "position");
CREATE INDEX move_to ON ledger.move USING btree (to_hash, "position");
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON ledger.move FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON ledger.move FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
-- a2a_ledger_service may insert, select

CREATE TABLE open_claim (
  claim_hash bytea NOT NULL,
  task_hash bytea NOT NULL,
  "position" bigint NOT NULL,
  worker_id text NOT NULL,
  task_id text NOT NULL,
  witness_ms bigint NOT NULL DEFAULT 0,
  is_answer boolean NOT NULL DEFAULT false,
  PRIMARY KEY (claim_hash, task_hash)
);
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON ledger.open_claim FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON ledger.open_claim FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
-- a2a_ledger_service may insert, select

CREATE TABLE payloads (
  "position" bigint NOT NULL,
  digest bytea NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY ("position")
) PARTITION BY RANGE ("position");
CREATE INDEX payloads_digest ON ONLY ledger.payloads USING hash (digest);
CREATE TRIGGER refuse_delete BEFORE DELETE ON ledger.payloads FOR EACH ROW EXECUTE FUNCTION ledger.refuse_delete_but_erasure();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON ledger.payloads FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER refuse_update BEFORE UPDATE ON ledger.payloads FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change();
-- a2a_ledger_eraser may delete, select
-- a2a_ledger_service may insert, select

CREATE TABLE push_repeats (
  worker_hash bytea NOT NULL,
  worker_id text NOT NULL,
  repeats bigint NOT NULL,
  last_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (worker_hash)
);
-- a2a_ledger_service may insert, select, update

CREATE TABLE push_secret (
  subject_hash bytea NOT NULL,
  secret_hash bytea NOT NULL,
  "position" bigint NOT NULL,
  PRIMARY KEY (subject_hash, secret_hash)
);
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON ledger.push_secret FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON ledger.push_secret FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
-- a2a_ledger_service may insert, select

CREATE TABLE quarantine (
  id text NOT NULL,
  arrival bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  received_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  reason text NOT NULL,
  detail text NOT NULL,
  via text NOT NULL,
  source text,
  headers json NOT NULL,
  attributes json,
  bytes bytea NOT NULL,
  UNIQUE (arrival),
  PRIMARY KEY (id),
  CHECK ((via = ANY (ARRAY['http'::text, 'kafka'::text, 'push'::text, 'internal'::text])))
);
CREATE INDEX quarantine_reason ON ledger.quarantine USING btree (reason, arrival);
CREATE TRIGGER refuse_delete BEFORE DELETE ON ledger.quarantine FOR EACH ROW EXECUTE FUNCTION ledger.refuse_delete_but_erasure();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON ledger.quarantine FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER refuse_update BEFORE UPDATE ON ledger.quarantine FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change();
-- a2a_ledger_eraser may delete, select
-- a2a_ledger_service may insert, select

CREATE TABLE quarantine_replay (
  id text NOT NULL,
  "position" bigint NOT NULL,
  PRIMARY KEY (id, "position")
);
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON ledger.quarantine_replay FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON ledger.quarantine_replay FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
-- a2a_ledger_service may insert, select

CREATE TABLE relay (
  topic text NOT NULL,
  term bigint NOT NULL DEFAULT 0,
  owner text,
  lease_until timestamp with time zone,
  "position" bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (topic)
);
-- a2a_ledger_service may insert, select, update

CREATE TABLE relay_partition (
  topic text NOT NULL,
  partition integer NOT NULL,
  last_position bigint NOT NULL DEFAULT 0,
  next_offset bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (topic, partition)
);
-- a2a_ledger_service may insert, select, update

CREATE TABLE stream_link (
  stream_hash bytea NOT NULL,
  "position" bigint NOT NULL,
  correlation_id text NOT NULL,
  task_hash bytea,
  PRIMARY KEY (stream_hash)
);
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON ledger.stream_link FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON ledger.stream_link FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
-- a2a_ledger_service may insert, select

CREATE TABLE synthetic_stream (
  stream_hash bytea NOT NULL,
  "position" bigint NOT NULL,
  PRIMARY KEY (stream_hash)
);
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON ledger.synthetic_stream FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON ledger.synthetic_stream FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
-- a2a_ledger_service may insert, select

CREATE TABLE task_link (
  task_hash bytea NOT NULL,
  "position" bigint NOT NULL,
  correlation_id text,
  taught text NOT NULL DEFAULT 'statement'::text,
  PRIMARY KEY (task_hash, "position"),
  CHECK ((taught = ANY (ARRAY['claim'::text, 'message'::text, 'statement'::text, 'answer'::text])))
);
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON ledger.task_link FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON ledger.task_link FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
-- a2a_ledger_service may insert, select

CREATE TABLE worker_mesh (
  worker_hash bytea NOT NULL,
  "position" bigint NOT NULL,
  mesh text NOT NULL,
  PRIMARY KEY (worker_hash, "position")
);
CREATE INDEX worker_mesh_position ON ledger.worker_mesh USING btree ("position");
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON ledger.worker_mesh FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON ledger.worker_mesh FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
-- a2a_ledger_service may insert, select

CREATE TABLE worker_restart (
  worker_hash bytea NOT NULL,
  "position" bigint NOT NULL,
  PRIMARY KEY (worker_hash, "position")
);
CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON ledger.worker_restart FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON ledger.worker_restart FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
-- a2a_ledger_service may insert, select

CREATE VIEW access_v1 AS
 SELECT internal_token
   FROM ledger.identity;
-- a2a_ledger_reader may select

CREATE VIEW feed_v1 AS
 SELECT identity.ledger_id,
    identity.epoch,
    events."position",
    ((EXTRACT(epoch FROM events.recorded_at) * (1000)::numeric))::bigint AS recorded_at_ms,
    events.attributes,
    events.correlation_id,
    events.correlation_hash AS correlation_key,
    events.rung,
    events.refused_code,
    events.refused_correlation_id,
    events.derived_from,
    ('sha256:'::text || encode(payloads.digest, 'hex'::text)) AS digest,
    payloads.data
   FROM ((ledger.events
     CROSS JOIN ledger.identity)
     LEFT JOIN ledger.payloads ON ((payloads."position" = events.payload_position)));
-- a2a_ledger_reader may select
-- a2a_ledger_service may select

CREATE VIEW push_repeats_v1 AS
 SELECT worker_id,
    repeats,
    last_at
   FROM ledger.push_repeats;
-- a2a_ledger_reader may select

CREATE VIEW relay_v1 AS
 SELECT relay.topic,
    relay."position",
    (count(relay_partition.partition))::integer AS partition_count
   FROM (ledger.relay
     JOIN ledger.relay_partition ON ((relay_partition.topic = relay.topic)))
  GROUP BY relay.topic, relay."position";
-- a2a_ledger_reader may select

CREATE OR REPLACE FUNCTION ledger.make_partitions(upto bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
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
$function$;
-- a2a_ledger_service may execute

CREATE OR REPLACE FUNCTION ledger.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION '% of %.% is refused: the ledger is append-only', TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME
    USING ERRCODE = 'insufficient_privilege';
END
$function$;

CREATE OR REPLACE FUNCTION ledger.refuse_delete_but_erasure()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF current_user <> 'a2a_ledger_eraser' THEN
    RAISE EXCEPTION 'DELETE of %.% is refused: only a2a_ledger_eraser erases', TG_TABLE_SCHEMA, TG_TABLE_NAME
      USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN OLD;
END
$function$;
