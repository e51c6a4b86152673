-- Roles belong to the whole server, so another database of it may have made them already, or may
-- be making them at this moment.
DO $$
DECLARE
  role_name text;
BEGIN
  FOREACH role_name IN ARRAY ARRAY['a2a_ledger_service', 'a2a_ledger_reader', 'a2a_ledger_eraser'] LOOP
    BEGIN
      EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
    EXCEPTION WHEN duplicate_object OR unique_violation THEN
      NULL;
    END;
  END LOOP;
END
$$;

GRANT USAGE ON SCHEMA ledger TO a2a_ledger_service, a2a_ledger_reader, a2a_ledger_eraser;
