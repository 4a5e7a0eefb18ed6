/**
 * Every filter of the audit log finds its newest records by an index, alone and with each other one, however many others
 * there are: held to the rows that PostgreSQL says it has read, by the gateway's own query.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { openTestServers, type TestServers } from '../../../test/support/test-servers.js';
import type { AuditFilter } from './audit-position.js';
import { auditRecordQuery } from './record-audit.js';

/** Of each of the three tables that are filled. */
const RECORDS = 20_000;
const LIMIT = 51;
/**
 * Where two filters meet, all rows of the rarer one may be read, in each of three tables; of parties also those of the
 * partner's half of a signature, which the log leaves out.
 */
const MAX_ROWS = 1_000;
/** Beyond one for each row. */
const MAX_INDEX_PAGES = 100;
/** Several values have their rows in no common order: the newest are looked for by time, or all of them are put in order. */
const MAX_ROWS_OF_SEVERAL = 5_000;
const START_MS = Date.parse('2026-01-01T00:00:00Z');

let servers: TestServers;
let owner: pg.Client;

beforeAll(async () => {
  servers = await openTestServers();
  owner = new pg.Client({ connectionString: servers.ownerUrl });
  await owner.connect();
  await recordSignatures(1);
  await recordSignatures(2);
  await recordRefusals();
  await owner.query('ANALYZE');
}, 60_000);
afterAll(async () => {
  await owner?.end();
  await servers?.close();
}, 60_000);

/** The n-th of a kind, as the rows below name it. */
const idOf = (kind: string, n: number) =>
  `00000000-0000-8000-${kind}-${String(n).padStart(12, '0')}`;
const USER = 'aaaa';
const KEY = 'bbbb';
const VAULT = 'cccc';
const REQUEST = 'dddd';
/** SQL: `idOf` of a number that is an SQL expression. */
const sqlId = (kind: string, number: string) =>
  `('00000000-0000-8000-${kind}-' || lpad((${number})::text, 12, '0'))::uuid`;

/**
 * SQL: a record a minute, wallets, keys and users by turns; eleven vaults and a small one, and now and then a rare action.
 * Numbers without a common divisor, so that each meets each other one, but for a user and another's key.
 */
const COLUMNS = `'chain', n, decode(md5('a' || n), 'hex'), decode(md5('b' || n), 'hex'),
  to_timestamp(${START_MS / 1000} + n * 60), ${sqlId(REQUEST, 'n')},
  ${sqlId(USER, 'n % 151')}, ${sqlId(KEY, 'n % 151')}, ${sqlId(VAULT, 'CASE WHEN n % 151 = 13 THEN 99 ELSE n % 11 END')}, 'wallet' || n % 151,
  CASE WHEN n % 199 = 0 THEN 'transfer-sol' ELSE 'raw-sign-with-wallet' END`;
const NAMES = `chain_id, seq, prev_hash, hash, at, request_id, actor, key_id, vault_id, wallet_address, action`;

/** Of two parties, each leads every other signature; one in fifty is denied. */
async function recordSignatures(party: 1 | 2): Promise<void> {
  await owner.query(
    `INSERT INTO party_${party}.sign_record (${NAMES}, role, outcome, ledger_seq, parties)
     SELECT ${COLUMNS}, CASE WHEN n % 2 = ${party - 1} THEN 'lead' ELSE 'partner' END,
       CASE WHEN n % 53 = 0 THEN 'denied' WHEN n % 2 = ${party - 1} THEN 'signed' ELSE 'contributed' END,
       1, '1,2'
     FROM generate_series(1, ${RECORDS}) AS n`,
  );
}

/** One in a hundred failed. */
async function recordRefusals(): Promise<void> {
  await owner.query(
    `INSERT INTO refused_request (${NAMES}, err_type, reason)
     SELECT ${COLUMNS}, CASE WHEN n % 101 = 0 THEN 'gateway_timeout' ELSE 'forbidden' END, 'told'
     FROM generate_series(1, ${RECORDS}) AS n`,
  );
}

const moment = (record: number) => START_MS + record * 60_000;

const FILTERS: Readonly<Record<string, AuditFilter>> = {
  everything: {},
  'one user': { user_ids: [idOf(USER, 7)] },
  'nobody known': { user_ids: [idOf(USER, 999)] },
  'one key': { key_ids: [idOf(KEY, 11)] },
  'one vault': { vault_ids: [idOf(VAULT, 3)] },
  'a small vault': { vault_ids: [idOf(VAULT, 99)] },
  'one wallet': { wallet_addresses: ['wallet7'] },
  'no wallet': { wallet_addresses: ['wallet'] },
  'a frequent action': { actions: ['raw-sign-with-wallet'] },
  'a rare action': { actions: ['transfer-sol'] },
  'what was allowed': { outcome: 'allowed' },
  'what was denied': { outcome: 'denied' },
  'what failed': { outcome: 'failed' },
  'one request': { request_id: idOf(REQUEST, 77) },
  'the newest': { from: moment(RECORDS - 100) },
  'long ago': { to: moment(100) },
  'before all': { to: moment(-1) },
};

interface PlanNode {
  readonly Alias?: string;
  readonly 'Parent Relationship'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

interface Cost {
  readonly rows: number;
  readonly pages: number;
}

/** What a page of the log reads of its own tables and their indexes, with what it then leaves out. */
async function costOf(filter: AuditFilter): Promise<Cost> {
  const { text, values } = auditRecordQuery(filter, null, LIMIT);
  const { rows } = await owner.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${text}`,
    values,
  );
  return costOfNode(rows[0]!['QUERY PLAN'][0].Plan);
}

function costOfNode(node: PlanNode): Cost {
  const children = node.Plans ?? [];
  // the outermost query goes by the same name: it has its rows from others
  if (/^record(_\d+)?$/.test(node.Alias ?? '') && !children.some(isInput)) return costOfScan(node);
  const costs = children.map(costOfNode);
  return {
    rows: costs.reduce((sum, { rows }) => sum + rows, 0),
    pages: costs.reduce((sum, { pages }) => sum + pages, 0),
  };
}

/** Of rows that a node passes on; not of a bitmap, by which a scan knows its own. */
function isInput(node: PlanNode): boolean {
  return node['Parent Relationship'] === 'Subquery' || node['Parent Relationship'] === 'Member';
}

/** Without what it asks of other tables for each row. */
function costOfScan(node: PlanNode): Cost {
  const asked = (node.Plans ?? []).filter((plan) => plan['Parent Relationship'] === 'SubPlan');
  const removed =
    (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return {
    rows: (node['Actual Rows'] + removed) * node['Actual Loops'],
    pages: asked.reduce((sum, plan) => sum - pagesOf(plan), pagesOf(node)),
  };
}

const pagesOf = (node: PlanNode) => node['Shared Hit Blocks'] + node['Shared Read Blocks'];

const isCheap = ({ rows, pages }: Cost, maxRows = MAX_ROWS) =>
  rows <= maxRows && pages <= rows + MAX_INDEX_PAGES;

describe('a page of the audit log', () => {
  const names = Object.keys(FILTERS);

  it.each(names)('of %s reads little, with each filter beside it too', async (name) => {
    const costs: Record<string, Cost> = {};
    for (const other of names.slice(names.indexOf(name))) {
      costs[other] = await costOf({ ...FILTERS[other], ...FILTERS[name] });
    }
    expect(Object.entries(costs).filter(([, cost]) => !isCheap(cost))).toEqual([]);
  });

  it('of two users reads no more than a part of all, whatever filter is beside it', async () => {
    const costs: Record<string, Cost> = {};
    for (const [other, filter] of Object.entries(FILTERS)) {
      costs[other] = await costOf({ user_ids: [idOf(USER, 7), idOf(USER, 8)], ...filter });
    }
    const dear = Object.entries(costs).filter(([, cost]) => !isCheap(cost, MAX_ROWS_OF_SEVERAL));
    expect(dear).toEqual([]);
  });
});

describe('a request that a gateway gave up', () => {
  const failed = async (n: number, isWhole = false) => {
    const filter: AuditFilter = { request_id: idOf(REQUEST, n), outcome: 'failed' };
    const { text, values } = auditRecordQuery(
      isWhole ? { ...filter, isWhole } : filter,
      null,
      LIMIT,
    );
    return (await owner.query(text, values)).rowCount;
  };
  const GIVEN_UP = 101;

  it('failed, unless a lead has committed what came of it: then that is its one outcome', async () => {
    expect([await failed(GIVEN_UP), await failed(GIVEN_UP, true)]).toEqual([0, 1]);
    await owner.query('BEGIN');
    try {
      await owner.query(
        `INSERT INTO refused_request (${NAMES}, err_type, reason)
         SELECT ${COLUMNS}, 'gateway_timeout', 'told' FROM generate_series($1::int, $1::int) AS n`,
        [RECORDS + 1],
      );
      expect(await failed(RECORDS + 1)).toBe(1);
    } finally {
      await owner.query('ROLLBACK');
    }
  });
});

describe('without the index', () => {
  it.each([
    ['sign_record_time', 'everything'],
    ['sign_record_actor', 'nobody known'],
    ['sign_record_action', 'a rare action'],
    ['sign_record_key', 'one key'],
    ['sign_record_vault', 'a small vault'],
    ['sign_record_wallet', 'no wallet'],
    ['sign_record_denied', 'what was denied'],
  ])('%s it would read much for %s', async (index, name) => {
    await owner.query('BEGIN');
    try {
      await owner.query(`DROP INDEX party_1.${index}`);
      const cost = await costOf(FILTERS[name]!);
      expect({ ...cost, isCheap: isCheap(cost) }).toMatchObject({ isCheap: false });
    } finally {
      await owner.query('ROLLBACK');
    }
  });
});
