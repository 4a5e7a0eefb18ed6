/** Whether the process will find in PostgreSQL what it needs: the server, the schema, its rights, its vault, the time. */
import { entryHash } from '@countersign/core/entry-hash.js';
import { toHex } from '@countersign/core/bytes.js';
import { createLedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import { migrationsOf, requireDatabase } from '@countersign/runtime/process/required-database.js';
import { GENESIS_PREV_HASH } from '@countersign/vault/ledger/entry.js';
import pg from 'pg';
import { checkClock } from './check-clock.js';
import { fault, ok, tryCheck, warning, wordsOf, type Finding } from './finding.js';
import { roleOf, type ProcessName } from './process-variables.js';

const ABOUT = 'PostgreSQL';
const CONNECT_WITHIN_MS = 5_000;
const ANSWER_WITHIN_MS = 10_000;

/** Rights that a process uses from its first request on: table, and what it does there. `$` is its party's schema. */
const RIGHTS: Readonly<Record<ProcessName, readonly (readonly [string, string])[]>> = {
  gateway: [
    ['ledger_entry', 'SELECT'],
    ['signing_request', 'SELECT, INSERT'],
    ['batch_evidence', 'SELECT, INSERT'],
    ['refused_request', 'SELECT, INSERT'],
    ['promised_request', 'SELECT, INSERT'],
    ['idempotency_key', 'SELECT, INSERT, UPDATE'],
    ['request_result', 'SELECT'],
  ],
  party: [
    ['ledger_entry', 'SELECT'],
    ['request_result', 'SELECT, INSERT'],
    ['batch_evidence', 'SELECT, INSERT'],
    ['$.key_share', 'SELECT, INSERT, DELETE'],
    ['$.sign_record', 'SELECT, INSERT'],
    ['$.request_message', 'SELECT, INSERT'],
    ['$.key_lease', 'SELECT, INSERT, UPDATE, DELETE'],
  ],
  notifier: [
    ['ledger_entry', 'SELECT'],
    ['webhook_delivery', 'SELECT, INSERT, DELETE'],
    ['webhook_cursor', 'SELECT, INSERT, UPDATE'],
    ['webhook_resend', 'SELECT, DELETE'],
  ],
  prices: [],
  migrate: [],
};
const APPENDERS: readonly ProcessName[] = ['gateway', 'party'];
const TIME_LIMITS = [
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'transaction_timeout',
];

export interface DatabaseSurroundings {
  readonly url: string;
  /** Of the party, where the process is one. */
  readonly party: string | undefined;
  /** Hash of the genesis that the operator named, hex. */
  readonly genesisHash: string | undefined;
}

export async function checkDatabase(
  process: ProcessName,
  { url, party, genesisHash }: DatabaseSurroundings,
): Promise<Finding[]> {
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    query_timeout: ANSWER_WITHIN_MS,
  });
  pool.on('error', () => undefined); // whoever asks next is told
  try {
    await pool.query('SELECT 1');
  } catch (error) {
    await pool.end();
    const advice = 'look at DATABASE_URL, at the server, and at the way to it';
    return [fault(ABOUT, `it cannot be reached: ${wordsOf(error)}`, advice)];
  }
  try {
    const role = roleOf(process, party);
    const checks = [
      () => checkSchema(pool, process),
      () => (role === undefined ? checkOwner(pool) : checkRole(pool, process, role)),
      ...(role === undefined ? [] : [() => checkGenesis(pool, genesisHash)]),
      () => checkClock(ABOUT, () => readClock(pool)),
    ];
    const findings: Finding[] = [ok(ABOUT, 'it answers')];
    for (const check of checks) findings.push(...(await tryCheck(ABOUT, check)));
    return findings;
  } finally {
    await pool.end();
  }
}

async function checkSchema(pool: pg.Pool, process: ProcessName): Promise<Finding> {
  try {
    if (process === 'migrate') return migrationFinding(await migrationsOf(pool));
    await requireDatabase(pool);
    return ok(ABOUT, "server and schema are this release's");
  } catch (error) {
    return fault(ABOUT, wordsOf(error), 'bring server and schema to what this release needs');
  }
}

/** What `migrate` will do, and what becomes of processes that run meanwhile. */
export function migrationFinding({
  has,
  missing,
}: Readonly<Record<'has' | 'missing', readonly string[]>>): Finding {
  if (missing.length === 0) return ok(ABOUT, 'nothing is to be migrated');
  if (has.length === 0) return ok(ABOUT, 'it is empty: migrate makes the schema');
  const runs = `migrate will run ${missing.join(', ')}`;
  if (missing.length === 1) {
    return ok(ABOUT, `${runs}, which only adds: processes of the release before run on`);
  }
  const advice = 'go through each release in between, or stop every process first';
  return warning(ABOUT, `${runs}: what runs now does not know so much`, advice);
}

/** What `migrate` needs. */
async function checkOwner(pool: pg.Pool): Promise<Finding[]> {
  const { rows } = await pool.query<Record<'signals' | 'creates' | 'owns', boolean>>(
    `SELECT pg_has_role('pg_signal_backend', 'USAGE') AND pg_has_role('pg_read_all_stats', 'USAGE') AS signals,
            rolcreaterole OR rolsuper AS creates,
            rolsuper OR pg_has_role((SELECT datdba FROM pg_database WHERE datname = current_database()), 'USAGE') AS owns
     FROM pg_roles WHERE rolname = current_user`,
  );
  const { signals, creates, owns } = rows[0]!;
  const findings: Finding[] = [];
  if (!owns) {
    findings.push(
      fault(ABOUT, "the login is not the database's owner", 'name its owner in DATABASE_URL'),
    );
  }
  if (!signals) {
    const advice = 'GRANT pg_signal_backend, pg_read_all_stats TO the owner';
    findings.push(fault(ABOUT, 'the owner may not end sessions of others', advice));
  }
  if (!creates) {
    findings.push(fault(ABOUT, 'the owner may not make roles', 'ALTER ROLE the owner CREATEROLE'));
  }
  return findings.length > 0 ? findings : [ok(ABOUT, 'the login may migrate')];
}

async function checkRole(pool: pg.Pool, process: ProcessName, role: string): Promise<Finding[]> {
  const { rows } = await pool.query<{
    login: string;
    is_super: boolean;
    connections: number;
    others: string[];
  }>(
    `SELECT current_user AS login, rolsuper AS is_super, rolconnlimit AS connections,
       ARRAY(SELECT rolname FROM pg_roles WHERE rolname LIKE 'countersign\\_%' AND pg_has_role(current_user, oid, 'USAGE'))::text[] AS others
     FROM pg_roles WHERE rolname = current_user`,
  );
  const { login, is_super: isSuper, connections, others } = rows[0]!;
  if (isSuper) {
    return [
      fault(ABOUT, `${login} is a superuser, and ${process} must not be one`, `log in as ${role}`),
    ];
  }
  if (!others.includes(role)) {
    return [
      fault(ABOUT, `${login} has no part in the role ${role}`, `log in as ${role}, or grant it`),
    ];
  }
  const strange = others.filter((one) => one !== role && one !== login);
  const findings = await missingRights(pool, process, role);
  if (strange.length > 0) {
    const says = `${login} has the rights of ${strange.join(' and ')} as well`;
    findings.push(fault(ABOUT, says, `REVOKE ${strange.join(', ')} FROM ${login}`));
  }
  if (connections < 0) {
    const says = `${login} may take all connections of the server`;
    findings.push(warning(ABOUT, says, `ALTER ROLE ${login} CONNECTION LIMIT …`));
  }
  findings.push(...(await missingTimeLimits(pool, login)));
  return findings.length > 0 ? findings : [ok(ABOUT, `${login} has the rights of ${role} alone`)];
}

async function missingRights(
  pool: pg.Pool,
  process: ProcessName,
  role: string,
): Promise<Finding[]> {
  const schema = role.replace('countersign_', '');
  const wanted = RIGHTS[process].flatMap(([table, rights]) =>
    rights.split(', ').map((right) => ({ table: table.replace('$', schema), right })),
  );
  const { rows } = await pool.query<{ name: string; has: boolean | null }>(
    `SELECT right_ || ' on ' || table_ AS name,
       CASE WHEN to_regclass(table_) IS NULL THEN NULL ELSE has_table_privilege(to_regclass(table_), right_) END AS has
     FROM unnest($1::text[], $2::text[]) AS wanted (table_, right_)
     UNION ALL
     SELECT 'EXECUTE on countersign_append', has_function_privilege(to_regprocedure('countersign_append(bytea[])'), 'EXECUTE')
     WHERE $3`,
    [
      wanted.map(({ table }) => table),
      wanted.map(({ right }) => right),
      APPENDERS.includes(process),
    ],
  );
  const missing = rows.filter(({ has }) => has !== true).map(({ name }) => name);
  if (missing.length === 0) return [];
  const advice = `give ${role} back what \`countersign migrate\` gave it`;
  return [fault(ABOUT, `rights are missing: ${missing.join(', ')}`, advice)];
}

/** A login has them of its own: none are inherited from the role that it is a member of. */
async function missingTimeLimits(pool: pg.Pool, login: string): Promise<Finding[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT name FROM pg_settings WHERE name = ANY($1) AND setting = '0' ORDER BY name`,
    [TIME_LIMITS],
  );
  if (rows.length === 0) return [];
  const says = `${login} has no ${rows.map(({ name }) => name).join(', ')}`;
  return [warning(ABOUT, says, `ALTER ROLE ${login} SET … for each`)];
}

async function checkGenesis(pool: pg.Pool, trusted: string | undefined): Promise<Finding> {
  const [row] = await createLedgerStore(pool).readAfter(0, 1);
  if (row === undefined) {
    const says = 'the ledger has no genesis yet: until it has, the process waits';
    return warning(ABOUT, says, 'make it with `countersign init`');
  }
  if (trusted === undefined) {
    return warning(ABOUT, 'it holds a vault, and no genesis says which', 'name GENESIS_FILE');
  }
  if (toHex(entryHash(1, GENESIS_PREV_HASH, row.body)) === trusted) {
    return ok(ABOUT, 'it holds the vault that the genesis names');
  }
  const advice = 'look at DATABASE_URL, and at the file that `init` wrote';
  return fault(ABOUT, 'it holds another vault than the genesis names', advice);
}

async function readClock(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ ms: number }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms',
  );
  return rows[0]!.ms;
}
