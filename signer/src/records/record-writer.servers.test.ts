import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { stallCommits } from '../../../test/support/stalled-commits.js';
import { openTestServers, type TestServers } from '../../../test/support/test-servers.js';
import type { RequestMessage } from '../requests/request-memory.js';
import type { RecordEntry } from './record-entry.js';
import { createRecordWriter } from './record-writer.js';

const ASKED_AT = 1_800_000_000_000;
const MESSAGE: RequestMessage = { at: ASKED_AT + 5, nonce: 7n, sha256: 'ab'.repeat(32) };
const ANOTHER: RequestMessage = { at: ASKED_AT + 9, nonce: 8n, sha256: 'cd'.repeat(32) };

let servers: TestServers;
let owner: pg.Client;
let pool: pg.Pool;

beforeAll(async () => {
  servers = await openTestServers();
  owner = new pg.Client({ connectionString: servers.ownerUrl });
  await owner.connect();
  pool = new pg.Pool({ connectionString: servers.roleUrls.party_1, max: 4 });
}, 60_000);
afterAll(async () => {
  await pool?.end();
  await owner?.end();
  await servers?.close();
}, 60_000);

const openReplica = () => createRecordWriter(pool, 1, randomUUID(), () => 0);

function partOf(requestId: string, message: RequestMessage): RecordEntry {
  const record = {
    ...({ role: 'partner', outcome: 'contributed', action: 'raw-sign' } as const),
    ...{ at: ASKED_AT, requestId },
    ...{ actorId: randomUUID(), keyId: null, vaultId: null, walletAddress: null, reason: null },
    ...{ messageSha256: Buffer.alloc(32), policy: null, ledgerSeq: 1, parties: '2,1' },
  };
  return { record, askedAt: ASKED_AT, message };
}

async function messagesOf(requestId: string): Promise<unknown[]> {
  const { rows } = await owner.query(
    `SELECT nonce, asked_at FROM party_1.request_message WHERE request_id = $1`,
    [requestId],
  );
  return rows;
}

it('of two replicas one gives a request its message, and the other is told', async () => {
  const ids = Array.from({ length: 20 }, () => randomUUID());
  const [first, second] = [openReplica(), openReplica()];
  const told = await Promise.all([
    first.write(ids.map((id) => partOf(id, MESSAGE))),
    second.write(ids.map((id) => partOf(id, ANOTHER))),
  ]);
  for (const [index, id] of ids.entries()) {
    const [one, other] = told.map((answers) => answers[index]);
    const given = one === undefined ? MESSAGE : ANOTHER;
    expect([one, other].filter((answer) => answer !== undefined)).toEqual([
      { message: given, results: [] },
    ]);
    expect(await messagesOf(id)).toEqual([{ nonce: `${given.nonce}`, asked_at: `${ASKED_AT}` }]);
  }
});

it('a trial of writing leaves nothing, moves no chain, and says why a table takes nothing', async () => {
  const chainId = randomUUID();
  let now = Date.now();
  const replica = createRecordWriter(pool, 1, chainId, () => now);
  const countAll = async () => {
    const { rows } = await owner.query(
      `SELECT (SELECT count(*) FROM party_1.sign_record) AS records,
         (SELECT count(*) FROM party_1.request_message) AS messages, (SELECT count(*) FROM request_result) AS results`,
    );
    return rows;
  };
  const before = await countAll();
  expect(await replica.findTrouble()).toBeUndefined();
  expect(await countAll()).toEqual(before);
  for (const table of ['party_1.sign_record', 'party_1.request_message', 'request_result']) {
    now += 1_000;
    await owner.query(`REVOKE INSERT ON ${table} FROM countersign_party_1`);
    expect(await replica.findTrouble()).toContain('permission denied');
    await owner.query(`GRANT INSERT ON ${table} TO countersign_party_1`);
  }
  now += 1_000;
  const [written, trouble] = await Promise.all([
    replica.write([partOf(randomUUID(), MESSAGE)]),
    replica.findTrouble(),
  ]);
  expect([written, trouble]).toEqual([[undefined], undefined]);
});

it('a message without a time is refused', async () => {
  const insert = `INSERT INTO party_1.request_message (request_id, signed_at, nonce, message_sha256, asked_at)
    VALUES (gen_random_uuid(), 1, 1, '\\x00', $1)`;
  await expect(pool.query(insert, [0])).rejects.toThrow('request_message_asked_at_check');
  await expect(pool.query(insert, [null])).rejects.toThrow('null value in column "asked_at"');
  await expect(pool.query(insert.replace(', asked_at', '').replace(', $1', ''))).rejects.toThrow(
    'null value in column "asked_at"',
  );
});

describe('a commit in doubt', () => {
  /** What the replica has written, in order. */
  const chainOf = async (chainId: string) => {
    const { rows } = await owner.query<{ seq: string; prev_hash: Buffer; hash: Buffer }>(
      `SELECT seq, prev_hash, hash FROM party_1.sign_record WHERE chain_id = $1 ORDER BY seq`,
      [chainId],
    );
    return rows;
  };

  const expectOneChain = async (chainId: string, length: number) => {
    const rows = await chainOf(chainId);
    expect(rows.map(({ seq }) => Number(seq))).toEqual(Array.from(rows, (_, at) => at + 1));
    for (const [at, row] of rows.slice(1).entries()) expect(row.prev_hash).toEqual(rows[at]!.hash);
    expect(rows).toHaveLength(length);
  };

  it('is settled: the next records are written once it is over', async () => {
    const impatient = new pg.Pool({
      ...{ connectionString: servers.roleUrls.party_1, max: 4 },
      ...{ query_timeout: 500, statement_timeout: 500 },
    });
    const chainId = randomUUID();
    const replica = createRecordWriter(impatient, 1, chainId, () => 0);
    const write = (id: string) => replica.write([partOf(id, MESSAGE)]);
    const held = randomUUID();
    await write(randomUUID());
    const stall = await stallCommits(owner, 1, 3);
    await expect(write(held)).rejects.toThrow();
    await expect(write(randomUUID())).rejects.toThrow();
    await stall.end();
    expect(await write(randomUUID())).toEqual([undefined]);
    // what was in doubt stands: it is known, and not written again
    expect(await write(held)).toEqual([{ message: MESSAGE, results: [] }]);
    expect(await write(randomUUID())).toEqual([undefined]);
    await expectOneChain(chainId, 4);
    await impatient.end();
  });
});
