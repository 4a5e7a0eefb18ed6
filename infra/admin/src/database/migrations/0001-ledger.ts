/**
 * The ledger. It is appended to by a function alone, in bounded calls and in turns that no role can keep. An appender gives
 * the body alone: the trigger numbers and chains it in its turn, so appends are totally ordered without gaps and a row
 * outside the chain cannot be inserted. Every node checks the chain again for itself.
 */
import { appendOnly, EVERY_PARTY, SAFE_PATH } from './0001-roles.js';

const APPENDERS = `countersign_gateway, ${EVERY_PARTY}`;

const TURN_HOLDER = `CREATE VIEW ledger_turn_holder AS
   SELECT lock.virtualtransaction, activity.pid, activity.usename, activity.wait_event
   FROM pg_locks lock JOIN pg_stat_activity activity ON activity.pid = lock.pid
   WHERE lock.relation = 'public.ledger_turn'::regclass AND lock.mode = 'ExclusiveLock'
     AND lock.granted AND activity.datname = current_database()`;

/**
 * Ends the sessions of the login whose session is the transaction named, if that still has the turn: those in the
 * line, then the holder, then this one if it is of the same login, which would come up itself. So a login that keeps the
 * turn loses its whole line. Returns the transaction that has the turn now; nothing when sessions were ended, so that the
 * caller is back in the line before anybody else. A commit that waits for a standby is no hold: to break it would show an
 * entry that the standby lacks.
 */
const END_HOLD = `CREATE FUNCTION countersign_end_hold(holder text) RETURNS text LANGUAGE plpgsql
   ${SAFE_PATH} AS $$
   DECLARE session record;
   BEGIN
     SELECT * INTO session FROM public.ledger_turn_holder;
     IF session.virtualtransaction = holder AND session.wait_event IS DISTINCT FROM 'SyncRep' THEN
       RAISE LOG 'countersign: % kept the turn to append, its sessions in the line are ended', session.usename;
       PERFORM pg_terminate_backend(line.pid) FROM (
         SELECT gate.pid FROM pg_locks gate JOIN pg_stat_activity activity ON activity.pid = gate.pid
         WHERE gate.relation = 'public.ledger_gate'::regclass AND gate.mode = 'RowShareLock' AND gate.granted
           AND activity.datname = current_database() AND activity.usename = session.usename
         ORDER BY gate.pid = pg_backend_pid(), gate.pid = session.pid
       ) AS line;
       RETURN NULL;
     END IF;
     RETURN session.virtualtransaction;
   END $$`;

/**
 * A turn to append is a lock on a table that has no row and no grant, so only what its owner wrote can
 * take it: this trigger. It lasts until the transaction ends, and nothing can keep a caller from
 * leaving its transaction open: a role changes its own time-outs, and a function cannot tell BEGIN from
 * a statement of its own. So whoever waits a second in vain ends the session that had the turn all the
 * while: an append takes milliseconds. And a login stands in the line once: its other sessions wait at
 * its gate, a row of its own, or each of many could take its turn for just less than a second. Who waits
 * for its turn then has at most one hold of each other login before it. A wait begun without knowing who
 * has the turn is short: the next one knows. Who is in the line is told by a lock on the table of gates,
 * which stands in nobody's way and lasts as the line does. A session that takes its time to end (on a busy
 * machine) is not taken for a new holder, with another second to its credit.
 */
const TAKE_TURN = `CREATE FUNCTION countersign_take_turn() RETURNS trigger LANGUAGE plpgsql
   ${SAFE_PATH} SET lock_timeout = '1s' AS $$
   DECLARE
     holder text := (SELECT virtualtransaction FROM public.ledger_turn_holder);
     ended text;
     deadline timestamptz := clock_timestamp() + interval '4 seconds';
   BEGIN
     LOCK TABLE public.ledger_gate IN ROW SHARE MODE;
     WHILE clock_timestamp() < deadline LOOP
       BEGIN
         PERFORM set_config('lock_timeout', CASE WHEN holder IS NULL THEN '100ms' ELSE '1s' END, true);
         INSERT INTO public.ledger_gate (login) VALUES (session_user)
           ON CONFLICT (login) DO UPDATE SET login = excluded.login WHERE false;
         LOCK TABLE public.ledger_turn IN EXCLUSIVE MODE;
         RETURN NULL;
       EXCEPTION WHEN lock_not_available THEN
         ended := coalesce(holder, ended);
         holder := nullif(public.countersign_end_hold(holder), ended);
       END;
     END LOOP;
     RAISE EXCEPTION 'the turn to append did not come' USING ERRCODE = 'lock_not_available';
   END $$`;

/** A call is bounded, so that a turn takes milliseconds. The rows come back without their bodies. */
const APPEND = `CREATE FUNCTION countersign_append(bodies bytea[])
   RETURNS TABLE (seq bigint, prev_hash bytea, hash bytea) LANGUAGE plpgsql SECURITY DEFINER
   ${SAFE_PATH} AS $$
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

const LITTLE_ENDIAN = `CREATE FUNCTION countersign_little_endian(value bigint, width int) RETURNS bytea
   LANGUAGE plpgsql IMMUTABLE STRICT AS $$
   DECLARE result bytea := decode(repeat('00', width), 'hex');
   BEGIN
     FOR i IN 0..width - 1 LOOP
       result := set_byte(result, i, ((value >> (8 * i)) & 255)::int);
     END LOOP;
     RETURN result;
   END $$`;

const CHAIN_ENTRY = `CREATE FUNCTION countersign_chain_entry() RETURNS trigger LANGUAGE plpgsql AS $$
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

export const LEDGER_SCHEMA = [
  // MAX_ENTRY_BYTES of the fold
  `CREATE TABLE ledger_entry (
     seq bigint PRIMARY KEY,
     prev_hash bytea NOT NULL,
     hash bytea NOT NULL UNIQUE,
     body bytea NOT NULL CHECK (octet_length(body) BETWEEN 1 AND 307200),
     inserted_at timestamptz NOT NULL DEFAULT clock_timestamp()
   )`,
  'CREATE TABLE ledger_turn ()',
  'CREATE TABLE ledger_gate (login name PRIMARY KEY)',
  TURN_HOLDER,
  END_HOLD,
  TAKE_TURN,
  // once for a statement, before its rows are chained
  `CREATE TRIGGER take_turn BEFORE INSERT ON ledger_entry
   FOR EACH STATEMENT EXECUTE FUNCTION countersign_take_turn()`,
  LITTLE_ENDIAN,
  CHAIN_ENTRY,
  `CREATE TRIGGER chain_entry BEFORE INSERT ON ledger_entry
   FOR EACH ROW EXECUTE FUNCTION countersign_chain_entry()`,
  `CREATE FUNCTION countersign_announce_entries() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     PERFORM pg_notify('countersign_ledger', '');
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER announce_entries AFTER INSERT ON ledger_entry
   FOR EACH STATEMENT EXECUTE FUNCTION countersign_announce_entries()`,
  appendOnly('ledger_entry'),
  APPEND,
  `REVOKE ALL ON FUNCTION countersign_append(bytea[]), countersign_take_turn(), countersign_end_hold(text)
   FROM PUBLIC`,
  `GRANT EXECUTE ON FUNCTION countersign_append(bytea[]) TO ${APPENDERS}`,
  `GRANT SELECT ON ledger_entry TO countersign_gateway, countersign_auditor, ${EVERY_PARTY}`,
];
