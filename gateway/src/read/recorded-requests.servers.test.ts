/** What is on record of a period, as PostgreSQL gives it to a gateway's login: each request once, in order. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import { sha256, uuidFromHash } from '@countersign/core/hash.js';
import pg from 'pg';
import { openTestServers, type TestServers } from '../../../test/support/test-servers.js';
import { findRecorded, placeBefore } from './recorded-requests.js';

const NOON = Date.UTC(2026, 10, 22, 12);
const HOUR = 3_600_000;
const KEYS = createEvidenceKeys([Buffer.alloc(32)]);
const TABLES = [
  'request_result',
  'refused_request',
  ...[1, 2, 3].map((party) => `party_${party}.sign_record`),
];

const idOf = (name: string) => uuidFromHash(sha256(name));
const ACTOR = idOf('actor');

let servers: TestServers;
let owner: pg.Pool;
let pool: pg.Pool;
let seq = 0;

beforeAll(async () => {
  servers = await openTestServers();
  owner = new pg.Pool({ connectionString: servers.ownerUrl, max: 1 });
  pool = new pg.Pool({ connectionString: servers.roleUrls.gateway, max: 1 });
}, 60_000);
beforeEach(async () => {
  for (const table of TABLES) {
    await owner.query(`ALTER TABLE ${table} DISABLE TRIGGER refuse_change`);
    await owner.query(`TRUNCATE ${table}`);
    await owner.query(`ALTER TABLE ${table} ENABLE TRIGGER refuse_change`);
  }
});
afterAll(async () => {
  await Promise.all([owner?.end(), pool?.end()]);
  await servers?.close();
}, 60_000);

interface Decided {
  readonly outcome?: 'signed' | 'denied';
  readonly role?: 'lead' | 'partner';
  readonly receivedAt?: string;
  readonly evidence?: Buffer;
}

/** As a party records what it decided as a lead. */
async function decided(party: number, name: string, at: number, fields: Decided = {}) {
  const { outcome = 'signed', role = 'lead', evidence = Buffer.from('x') } = fields;
  const time = new Date(at).toISOString();
  await owner.query(
    `INSERT INTO party_${party}.sign_record (chain_id, seq, prev_hash, hash, at, request_id, role, outcome,
       action, actor, ledger_seq, parties, reason)
     VALUES ('chain', $1, '', '', $2, $3, $4, $5, 'sign-with-key', $6, 1, '1,2', 'why')`,
    [++seq, time, idOf(name), role, outcome, ACTOR],
  );
  if (role === 'partner') return;
  await owner.query(
    `INSERT INTO request_result (request_id, operation, created_by, received_at, completed_at, lead, outcome, payload, evidence)
     VALUES ($1, 'sign-with-key', $2, $3, now(), $4, $5, 'x', $6)`,
    [idOf(name), ACTOR, fields.receivedAt ?? time, party, outcome, evidence],
  );
}

async function refused(name: string, at: number, errType = 'forbidden', action = 'sign-with-key') {
  await owner.query(
    `INSERT INTO refused_request (chain_id, seq, prev_hash, hash, at, action, actor, request_id, err_type, reason)
     VALUES ('chain', $1, '', '', $2, $3, $4, $5, $6, 'why not')`,
    [++seq, new Date(at).toISOString(), action, ACTOR, idOf(name), errType],
  );
}

/** Of the hour from noon on, read in pages of this size. */
async function readAll(size: number) {
  const found = [];
  let after = placeBefore(NOON);
  for (;;) {
    const rows = await findRecorded(pool, KEYS, after, NOON + HOUR, size);
    found.push(...rows.map(({ read }) => read()));
    if (rows.length < size) return found;
    after = rows.at(-1)!.place;
  }
}

const namesOf = (found: readonly { readonly requestId: string }[], names: readonly string[]) =>
  found.map(({ requestId }) => names.find((name) => idOf(name) === requestId));

describe('what is on record', () => {
  it.each([1, 2, 3, 100])('comes in order and each once, in pages of %s', async (size) => {
    await decided(2, 'b', NOON + 2);
    await decided(1, 'a', NOON);
    await refused('c', NOON + 3);
    const atOnce = ['d', 'e', 'f', 'g'].toSorted((one, other) =>
      idOf(one) < idOf(other) ? -1 : 1,
    );
    await decided(3, 'd', NOON + 4);
    await decided(1, 'e', NOON + 4, { outcome: 'denied' });
    await refused('f', NOON + 4);
    await refused('g', NOON + 4);
    const names = ['a', 'b', 'c', ...atOnce];
    const found = await readAll(size);
    expect(namesOf(found, names)).toEqual(names);
    expect(found[2]).toMatchObject({ isAllowed: false, reason: 'why not', receivedAt: NOON + 3 });
    expect(found[0]).toMatchObject({ isAllowed: true, reason: null, userId: ACTOR });
  });

  it('begins with the period and ends before its end', async () => {
    await decided(1, 'before', NOON - 1);
    await decided(1, 'first', NOON);
    await decided(1, 'last', NOON + HOUR - 1);
    await decided(1, 'behind', NOON + HOUR);
    const names = ['before', 'first', 'last', 'behind'];
    expect(namesOf(await readAll(10), names)).toEqual(['first', 'last']);
  });

  it('is a request by its signature, also where another pair denied it', async () => {
    await decided(1, 'a', NOON, { outcome: 'denied' });
    await decided(2, 'a', NOON + 1);
    await decided(3, 'a', NOON + 1, { role: 'partner' });
    expect(await readAll(10)).toMatchObject([{ requestId: idOf('a'), isAllowed: true }]);
  });

  it('is no other refusal: of a change, or for another reason than a right', async () => {
    await refused('of its form', NOON, 'invalid_inputs');
    await refused('of a vault', NOON, 'forbidden', 'create-vault');
    expect(await readAll(10)).toEqual([]);
  });

  it('is read past rows that no honest party writes', async () => {
    await decided(1, 'never', NOON, { receivedAt: 'infinity' });
    await decided(1, 'large', NOON + 1, { evidence: Buffer.alloc(300_001) });
    await decided(1, 'good', NOON + 2);
    const found = await readAll(10);
    expect(namesOf(found, ['never', 'large', 'good'])).toEqual(['never', 'large', 'good']);
    expect(found.map(({ evidence }) => evidence)).toEqual([
      'the record cannot be read',
      'the record holds no request',
      'the record cannot be read',
    ]);
  });
});
