/**
 * The database's owner shows different nodes different ledgers. What its readers take for the table is a view: it
 * shows each login the log that the owner has chosen for it, and what a login appends goes to the log that it sees.
 */
import type { EntryRow } from '@countersign/vault/ledger/entry.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { rechain } from './ledger-builder.ts';
import { query } from './signing-load.ts';
import { readStoredLedger } from './stored-ledger.ts';

/** A login of the database, or the application that a connection names: two replicas of a party have one login. */
export type Viewer = 'gateway' | `party_${PartyNumber}` | { readonly application: string };

export interface TwoFacedStore {
  /** The rows of a log that it keeps. */
  read(log: string): Promise<EntryRow[]>;
  /** A log of its own making: these bodies, chained anew after the first `shared` rows of the true one. */
  fork(log: string, bodies: readonly Uint8Array[], shared: number): Promise<EntryRow[]>;
  /** A log that begins as the true one is now: these see it from then on, and nothing of what comes to the other. */
  branch(log: string, ...viewers: Viewer[]): Promise<EntryRow[]>;
  /** Rows as they are, whatever their hashes. */
  put(log: string, rows: readonly EntryRow[]): Promise<void>;
  /** From now on these see that log, and append to it. */
  show(log: string, ...viewers: Viewer[]): Promise<void>;
  append(log: string, bodies: readonly Uint8Array[]): Promise<void>;
}

/** What everybody sees at first. */
export const TRUE_LOG = 'true';

const VIEWER = `coalesce(
  (SELECT log FROM ledger_shown WHERE viewer = current_setting('application_name')),
  (SELECT log FROM ledger_shown WHERE viewer = session_user), '${TRUE_LOG}')`;

const ROLES = 'countersign_gateway, countersign_party_1, countersign_party_2, countersign_party_3';

const SETUP = [
  // a word that a party gives meanwhile would be in the table and not in the log
  'LOCK TABLE ledger_entry IN ACCESS EXCLUSIVE MODE',
  'CREATE TABLE ledger_shown (viewer text PRIMARY KEY, log text NOT NULL)',
  `CREATE TABLE ledger_log (log text, seq bigint, prev_hash bytea, hash bytea, body bytea,
     inserted_at timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (log, seq))`,
  `INSERT INTO ledger_log SELECT '${TRUE_LOG}', seq, prev_hash, hash, body, inserted_at FROM ledger_entry`,
  'ALTER TABLE ledger_entry RENAME TO ledger_as_it_was',
  `CREATE FUNCTION ledger_log_shown() RETURNS text LANGUAGE sql STABLE SECURITY DEFINER
   SET search_path = public AS $$ SELECT ${VIEWER} $$`,
  `CREATE VIEW ledger_entry AS SELECT seq, prev_hash, hash, body, inserted_at FROM ledger_log
   WHERE log = (SELECT ledger_log_shown())`,
  `GRANT SELECT ON ledger_entry TO ${ROLES}, countersign_auditor`,
  `CREATE FUNCTION ledger_log_append(given_log text, bodies bytea[])
   RETURNS TABLE (seq bigint, prev_hash bytea, hash bytea) LANGUAGE plpgsql
   SET search_path = public AS $$
   DECLARE given bytea; head record; next_seq bigint; next_prev bytea; next_hash bytea;
   BEGIN
     LOCK TABLE ledger_log IN SHARE ROW EXCLUSIVE MODE;
     FOREACH given IN ARRAY bodies LOOP
       SELECT * INTO head FROM ledger_log l WHERE l.log = given_log ORDER BY l.seq DESC LIMIT 1;
       next_seq := coalesce(head.seq, 0) + 1;
       next_prev := coalesce(head.hash, decode(repeat('00', 32), 'hex'));
       next_hash := sha256('\\x01'::bytea || countersign_little_endian(next_seq, 8) || next_prev
         || countersign_little_endian(octet_length(given), 4) || given);
       INSERT INTO ledger_log VALUES (given_log, next_seq, next_prev, next_hash, given);
       RETURN QUERY SELECT next_seq, next_prev, next_hash;
     END LOOP;
     PERFORM pg_notify('countersign_ledger', '');
   END $$`,
  `CREATE OR REPLACE FUNCTION countersign_append(bodies bytea[])
   RETURNS TABLE (seq bigint, prev_hash bytea, hash bytea) LANGUAGE sql SECURITY DEFINER
   SET search_path = public AS $$ SELECT * FROM ledger_log_append(ledger_log_shown(), bodies) $$`,
];

/** From now on. The logs begin as the ledger is; `ownerUrl` itself sees the true log. */
export async function openTwoFacedStore(ownerUrl: string): Promise<TwoFacedStore> {
  const asOwner = (text: string, values?: unknown[]) => query(ownerUrl, text, values);
  // in one transaction: nobody sees a ledger without a head
  await asOwner(['BEGIN', ...SETUP, 'COMMIT'].join(';\n'));

  const store: TwoFacedStore = {
    async read(log) {
      const url = new URL(ownerUrl);
      url.searchParams.set('application_name', `reader of ${log}`);
      await show(log, { application: `reader of ${log}` });
      return readStoredLedger(url.toString());
    },
    async fork(log, bodies, shared) {
      const before = (await store.read(TRUE_LOG)).slice(0, shared);
      const rows = [...before, ...rechain(bodies, before.at(-1))];
      await store.put(log, rows);
      return rows;
    },
    async put(log, rows) {
      const column = <Value>(of: (row: EntryRow) => Value) => rows.map(of);
      await asOwner(
        `INSERT INTO ledger_log (log, seq, prev_hash, hash, body)
         SELECT $1, given.* FROM unnest($2::bigint[], $3::bytea[], $4::bytea[], $5::bytea[]) AS given`,
        [
          log,
          column(({ seq }) => seq),
          column(({ prevHash }) => prevHash),
          column(({ hash }) => hash),
          column(({ body }) => body),
        ],
      );
    },
    async branch(log, ...viewers) {
      const names = viewers.map((viewer) => `('${nameOf(viewer)}', '${log}')`);
      await asOwner(
        `BEGIN;
         LOCK TABLE ledger_log IN SHARE ROW EXCLUSIVE MODE;
         INSERT INTO ledger_log SELECT '${log}', seq, prev_hash, hash, body FROM ledger_log
           WHERE log = '${TRUE_LOG}';
         INSERT INTO ledger_shown VALUES ${names.join(', ')}
           ON CONFLICT (viewer) DO UPDATE SET log = excluded.log;
         COMMIT`,
      );
      return store.read(log);
    },
    show,
    async append(log, bodies) {
      await asOwner('SELECT FROM ledger_log_append($1, $2)', [log, bodies]);
    },
  };

  async function show(log: string, ...viewers: Viewer[]): Promise<void> {
    await asOwner(
      `INSERT INTO ledger_shown SELECT viewer, $2 FROM unnest($1::text[]) AS viewer
       ON CONFLICT (viewer) DO UPDATE SET log = excluded.log`,
      [viewers.map(nameOf), log],
    );
    await asOwner("SELECT pg_notify('countersign_ledger', '')");
  }
  return store;
}

function nameOf(viewer: Viewer): string {
  return typeof viewer === 'string' ? `countersign_${viewer}` : viewer.application;
}
