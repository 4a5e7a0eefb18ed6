-- Logins of a vault's processes, as docs/how-to/install.md has them: for psql, as the administrator of the database.
-- Passwords come from the environment. Safe to run again.
\getenv gateway GATEWAY_PASSWORD
\getenv party_1 PARTY_1_PASSWORD
\getenv party_2 PARTY_2_PASSWORD
\getenv party_3 PARTY_3_PASSWORD
\getenv notifier NOTIFIER_PASSWORD
ALTER ROLE countersign_gateway LOGIN CONNECTION LIMIT 64 PASSWORD :'gateway';
ALTER ROLE countersign_party_1 LOGIN CONNECTION LIMIT 36 PASSWORD :'party_1';
ALTER ROLE countersign_party_2 LOGIN CONNECTION LIMIT 36 PASSWORD :'party_2';
ALTER ROLE countersign_party_3 LOGIN CONNECTION LIMIT 36 PASSWORD :'party_3';
ALTER ROLE countersign_notifier LOGIN CONNECTION LIMIT 16 PASSWORD :'notifier';
DO $$
DECLARE login text;
BEGIN
  FOREACH login IN ARRAY ARRAY['countersign_gateway', 'countersign_party_1', 'countersign_party_2',
    'countersign_party_3', 'countersign_notifier']
  LOOP
    EXECUTE format('ALTER ROLE %I SET statement_timeout = %L', login, '10s');
    EXECUTE format('ALTER ROLE %I SET lock_timeout = %L', login, '5s');
    EXECUTE format('ALTER ROLE %I SET idle_in_transaction_session_timeout = %L', login, '5s');
    EXECUTE format('ALTER ROLE %I SET transaction_timeout = %L', login, '30s');
  END LOOP;
END $$;
-- Otherwise any login can fill the server's table of locks
DO $$
DECLARE name regprocedure;
BEGIN
  FOR name IN SELECT oid FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace
    AND (proname ~ '^pg_(try_)?advisory_' OR proname IN ('lo_create', 'lo_creat', 'lo_from_bytea'))
  LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', name);
  END LOOP;
END $$;
