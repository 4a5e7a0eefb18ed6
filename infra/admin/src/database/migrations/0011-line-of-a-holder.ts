import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A login that keeps the turn to append loses its whole line. Before, its next session came up from the gate in the
 * moment in which the one that waited was out of the line to end the holder, and could be there first: with luck
 * again and again, for as long as anybody waits. And a session that takes its time to end (on a busy machine) is not
 * taken for a new holder, with another second to its credit.
 */
export class LineOfAHolder1700000000011 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(END_HOLD);
    await runner.query(TAKE_TURN);
  }

  async down(): Promise<void> {
    throw new Error('a vault is never migrated down: restore a backup instead');
  }
}

/**
 * Ends the sessions of the login whose session is the transaction named, if that still has the turn: those in the
 * line, then the holder, then this one if it is of the same login, which would come up itself.
 */
const END_HOLD = `CREATE OR REPLACE FUNCTION countersign_end_hold(holder text) RETURNS text LANGUAGE plpgsql
   SET search_path = pg_catalog, public, pg_temp AS $$
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

/** Who is in the line is told by a lock on the table of gates, which stands in nobody's way and lasts as the line does. */
const TAKE_TURN = `CREATE OR REPLACE FUNCTION countersign_take_turn() RETURNS trigger LANGUAGE plpgsql
   SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '1s' AS $$
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
