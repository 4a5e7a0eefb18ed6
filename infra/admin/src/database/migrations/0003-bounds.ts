import type { MigrationInterface, QueryRunner } from 'typeorm';

const PARTIES = [1, 2, 3] as const;

/**
 * What a role may cost the others. The ledger is appended to by a function alone, in bounded calls and in
 * turns that no role can keep; locks between replicas of a party are rows of the party.
 */
export class Bounds1700000000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...LEDGER, ...SERVER, ...PARTIES.flatMap(partyTables)]) {
      await runner.query(statement);
    }
  }

  async down(): Promise<void> {
    throw new Error('a vault is never migrated down: restore a backup instead');
  }
}

const APPENDERS = `countersign_gateway, countersign_party_1, countersign_party_2, countersign_party_3`;

/**
 * A turn to append is a lock on a table that has no row and no grant, so only what its owner wrote can
 * take it: this trigger. It lasts until the transaction ends, and nothing can keep a caller from
 * leaving its transaction open: a role changes its own time-outs, and a function cannot tell BEGIN from
 * a statement of its own. So whoever waits a second in vain ends the session that had the turn all the
 * while: an append takes milliseconds. And a login stands in the line once: its other sessions wait at
 * its gate, a row of its own, or each of many could take its turn for just less than a second. Who waits
 * for its turn then has at most one hold of each other login before it. A wait begun without knowing who
 * has the turn is short: the next one knows.
 */
const TAKE_TURN = `CREATE FUNCTION countersign_take_turn() RETURNS trigger LANGUAGE plpgsql
   SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '1s' AS $$
   DECLARE
     holder text := (SELECT virtualtransaction FROM public.ledger_turn_holder);
     deadline timestamptz := clock_timestamp() + interval '4 seconds';
   BEGIN
     WHILE clock_timestamp() < deadline LOOP
       BEGIN
         PERFORM set_config('lock_timeout', CASE WHEN holder IS NULL THEN '100ms' ELSE '1s' END, true);
         INSERT INTO public.ledger_gate (login) VALUES (session_user)
           ON CONFLICT (login) DO UPDATE SET login = excluded.login WHERE false;
         LOCK TABLE public.ledger_turn IN EXCLUSIVE MODE;
         RETURN NULL;
       EXCEPTION WHEN lock_not_available THEN
         holder := public.countersign_end_hold(holder);
       END;
     END LOOP;
     RAISE EXCEPTION 'the turn to append did not come' USING ERRCODE = 'lock_not_available';
   END $$`;

const TURN_HOLDER = `CREATE VIEW ledger_turn_holder AS
   SELECT lock.virtualtransaction, activity.pid, activity.usename, activity.wait_event
   FROM pg_locks lock JOIN pg_stat_activity activity ON activity.pid = lock.pid
   WHERE lock.relation = 'public.ledger_turn'::regclass AND lock.mode = 'ExclusiveLock'
     AND lock.granted AND activity.datname = current_database()`;

/**
 * Ends the session that has the turn, if it still is the transaction named. Returns the transaction that
 * has it now; nothing when that was ended, so that the caller is back in the line before anybody else.
 * A commit that waits for a standby is no hold: to break it would show an entry that the standby lacks.
 */
const END_HOLD = `CREATE FUNCTION countersign_end_hold(holder text) RETURNS text LANGUAGE plpgsql
   SET search_path = pg_catalog, public, pg_temp AS $$
   DECLARE session record;
   BEGIN
     SELECT * INTO session FROM public.ledger_turn_holder;
     IF session.virtualtransaction = holder AND session.wait_event IS DISTINCT FROM 'SyncRep' THEN
       RAISE LOG 'countersign: % kept the turn to append, its session is ended', session.usename;
       PERFORM pg_terminate_backend(session.pid);
       RETURN NULL;
     END IF;
     RETURN session.virtualtransaction;
   END $$`;

/** A call is bounded, so that a turn takes milliseconds. The rows come back without their bodies. */
const APPEND = `CREATE FUNCTION countersign_append(bodies bytea[])
   RETURNS TABLE (seq bigint, prev_hash bytea, hash bytea) LANGUAGE plpgsql SECURITY DEFINER
   SET search_path = pg_catalog, public, pg_temp AS $$
   BEGIN
     IF cardinality(bodies) > 64
       OR (SELECT sum(octet_length(given.body)) FROM unnest(bodies) AS given (body)) > 4194304
     THEN
       RAISE EXCEPTION 'at most 64 entries of 4 MiB in all are appended at once'
         USING ERRCODE = 'program_limit_exceeded';
     END IF;
     RETURN QUERY INSERT INTO public.ledger_entry AS entry (body)
       SELECT given.body FROM unnest(bodies) WITH ORDINALITY AS given (body, place)
       ORDER BY given.place
       RETURNING entry.seq, entry.prev_hash, entry.hash;
   END $$`;

/** As before, without its lock: the turn is taken once for a statement, before its rows are chained. */
const CHAIN_ENTRY = `CREATE OR REPLACE FUNCTION countersign_chain_entry() RETURNS trigger LANGUAGE plpgsql AS $$
   DECLARE head record;
   BEGIN
     SELECT seq, hash INTO head FROM ledger_entry ORDER BY seq DESC LIMIT 1;
     NEW.seq := coalesce(head.seq, 0) + 1;
     NEW.prev_hash := coalesce(head.hash, decode(repeat('00', 32), 'hex'));
     NEW.inserted_at := clock_timestamp();
     NEW.hash := sha256('\\x01'::bytea || countersign_little_endian(NEW.seq, 8) || NEW.prev_hash
       || countersign_little_endian(octet_length(NEW.body), 4) || NEW.body);
     RETURN NEW;
   END $$`;

const LEDGER = [
  // without these two rights nobody could end a hold, and an open transaction would stop governance
  `DO $$ BEGIN
     IF NOT (pg_has_role('pg_signal_backend', 'USAGE') AND pg_has_role('pg_read_all_stats', 'USAGE')) THEN
       RAISE EXCEPTION 'the owner needs: GRANT pg_signal_backend, pg_read_all_stats TO %', current_user;
     END IF;
   END $$`,
  'ALTER TABLE ledger_entry DROP CONSTRAINT ledger_entry_body_check',
  // MAX_ENTRY_BYTES of the fold
  'ALTER TABLE ledger_entry ADD CHECK (octet_length(body) BETWEEN 1 AND 307200)',
  'CREATE TABLE ledger_turn ()',
  'CREATE TABLE ledger_gate (login name PRIMARY KEY)',
  TURN_HOLDER,
  END_HOLD,
  TAKE_TURN,
  CHAIN_ENTRY,
  `CREATE TRIGGER take_turn BEFORE INSERT ON ledger_entry
   FOR EACH STATEMENT EXECUTE FUNCTION countersign_take_turn()`,
  APPEND,
  `REVOKE INSERT (body) ON ledger_entry FROM ${APPENDERS}`,
  `REVOKE ALL ON FUNCTION countersign_append(bytea[]), countersign_take_turn(), countersign_end_hold(text)
   FROM PUBLIC`,
  `GRANT EXECUTE ON FUNCTION countersign_append(bytea[]) TO ${APPENDERS}`,
];

/**
 * The table of locks is shared by all sessions: one role that fills it stops every write. What could do
 * so without any grant is taken away: advisory locks, temporary tables, large objects. Where the owner is
 * no superuser the server warns and keeps what is not the owner's to take (docs/OPERATING.md).
 */
const SERVER = [
  `DO $$
   DECLARE name regprocedure;
   BEGIN
     FOR name IN SELECT oid FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace
       AND (proname ~ '^pg_(try_)?advisory_' OR proname IN ('lo_create', 'lo_creat', 'lo_from_bytea'))
     LOOP
       EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', name);
     END LOOP;
     EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
   END $$`,
];

function partyTables(party: number): string[] {
  const schema = `party_${party}`;
  return [
    // what one replica of the party is at; good until it expires, and renewed meanwhile
    `CREATE TABLE ${schema}.key_lease (
       name text PRIMARY KEY,
       holder uuid NOT NULL,
       expires_at timestamptz NOT NULL
     )`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ${schema}.key_lease TO countersign_${schema}`,
  ];
}
