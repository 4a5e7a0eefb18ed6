/** What the gateway's role, alone or with one party, can cost the others by what it appends: nothing that stops them. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { readEvidenceKeys } from '@countersign/core/evidence-key.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { MAX_ENTRY_BYTES } from '@countersign/vault/ledger/entry.js';
import { MAX_TIME_MS } from '@countersign/core/records.js';
import { encodeEvidenceEntry } from '@countersign/vault/ledger/write-entry.js';
import { allPages } from '../support/api.ts';
import { dishonestParty, type DishonestParty } from '../support/dishonest-party.ts';
import { readGenesis } from '../support/genesis.ts';
import { restartableNodes, type RestartableNodes } from '../support/restartable-nodes.ts';
import { finalRecord, onConnection, shootMany, statusesOf } from '../support/signing-load.ts';
import { signedRequest } from '../support/signed-request.ts';
import { appendStored, judgedOutcome, readStoredLedger } from '../support/stored-ledger.ts';
import { eventually, expectOk, openTestVault, PATIENT } from '../support/test-vault.ts';
import type { TestUser, TestVault, TestWallet } from '../support/test-vault.ts';
import { areDrillsRun, drill } from '../support/drills.ts';

jest.setTimeout(180_000);

/** The last that counts, the first that does not, the first that is no date, the last that is a number. */
const TIMES = [MAX_TIME_MS, MAX_TIME_MS + 1, 8_640_000_000_000_001, Number.MAX_SAFE_INTEGER];

/** Of the ledger's pages a dozen in the check, 45 in `npm run drills`. */
const LARGEST = areDrillsRun ? 600 : 156;

let vault: TestVault;
let nodes: RestartableNodes;
let keys: EvidenceKeys;
let third: DishonestParty;
let bot: TestUser;
let wallet: TestWallet;

beforeAll(async () => {
  vault = await openTestVault();
  nodes = restartableNodes(vault);
  keys = readEvidenceKeys(vault.prepared.evidenceKeyFile);
  third = dishonestParty(vault, 3, (await readGenesis(vault)).genesisHash);
  bot = await vault.createMachine();
  wallet = await vault.createWallet({ initiators: [bot.id] });
}, 120_000);

afterAll(async () => {
  await nodes?.stopAll();
  await vault?.close();
}, 60_000);

const asGateway = (...bodies: Buffer[]) => appendStored(vault.servers.roleUrls.gateway, bodies);

/** The same body over and over, `atOnce` in one call. */
async function appendMany(body: Buffer, count: number, atOnce: number): Promise<void> {
  const text = 'SELECT FROM countersign_append(array_fill($1::bytea, ARRAY[$2::int]))';
  await onConnection(vault.servers.roleUrls.gateway, async (client) => {
    for (let done = 0; done < count; done += atOnce) await client.query(text, [body, atOnce]);
  });
}

const freezeBot = (action: 'freeze' | 'unfreeze') =>
  expectOk(vault.admin, 'POST', `/v1/users/${action}?user_ids=${bot.id}`);

async function isEverybodyWell(): Promise<boolean> {
  const answer = await fetch(`${vault.baseUrl}/health`);
  const { status, checks } = (await answer.json()) as {
    status: string;
    checks: { signers: Record<string, string> };
  };
  return status === 'ok' && [1, 2, 3].every((party) => checks.signers[`party_${party}`] === 'ok');
}

/** A change, a freeze and a signature, each answered, and no node has stopped. */
async function expectService(): Promise<void> {
  await freezeBot('freeze');
  await freezeBot('unfreeze');
  await expectOk(vault.admin, 'POST', '/v1/user-groups', {
    display_name: `group ${randomBytes(4).toString('hex')}`,
  });
  expect(statusesOf(await shootMany(vault.baseUrl, bot, wallet, 6))).toEqual([200]);
  // a party that has much to read may be late with its heartbeat
  await eventually(isEverybodyWell);
  for (const node of [nodes.gateway, ...([1, 2, 3] as const).map(nodes.party)]) {
    expect(node.output()).not.toContain('ledger_fault');
  }
}

/** A request of the administrator that nobody signed, as large as the database takes. */
function largestRefused(): Buffer {
  const bodyOf = (bytes: number) => {
    const request = signedRequest(vault.adminCredential, 'POST', '/v1/vaults', undefined);
    const evidence = { ...request.evidence, body: Buffer.alloc(bytes, 'x') };
    return encodeEvidenceEntry(Date.now(), evidence, keys);
  };
  const around = bodyOf(0).length;
  return bodyOf(MAX_ENTRY_BYTES - around);
}

describe('times out of all reach', () => {
  const LISTS = ['keys', 'vaults', 'users', 'admin-policies', 'signing-policies', 'user-groups'];

  /** Everything that is told of the ledger, from its first entry to its last. */
  async function expectEverythingTold(): Promise<void> {
    const told = await allPages<{ occurred_at: string }>(vault.admin, '/v1/audit-logs?limit=100');
    expect(told.length).toBeGreaterThan(0);
    for (const format of ['jsonl', 'csv']) {
      const response = await fetch(`${vault.baseUrl}/v1/audit-logs/export?format=${format}`, {
        headers: { authorization: `ApiKey ${vault.adminCredential.apiKey}` },
      });
      expect(response.status).toBe(200);
      expect((await response.text()).split('\n').length).toBeGreaterThan(told.length);
    }
    for (const name of LISTS) await allPages(vault.admin, `/v1/${name}?limit=100`);
    await allPages(vault.admin, `/v1/vaults/${wallet.vaultId}/wallets?limit=100`);
    await expectOk(vault.admin, 'GET', '/v1/keys/import-recipients');
  }

  function vaultRequest(signedAt: number, appendedAt: number): Buffer {
    const { evidence } = signedRequest(
      vault.adminCredential,
      'POST',
      '/v1/vaults',
      { display_name: `signed ${signedAt}, appended ${appendedAt}` },
      { now: signedAt },
    );
    return encodeEvidenceEntry(appendedAt, evidence, keys);
  }

  /** The entry is settled in the gateway's fold as well. */
  async function untilTold(seq: number): Promise<void> {
    await judgedOutcome(vault.servers.ownerUrl, keys, seq);
    await eventually(async () => {
      const info = await expectOk<{ ledger_head: { seq: number } }>(vault.admin, 'GET', '/v1/info');
      return info.ledger_head.seq >= seq;
    });
  }

  it('by the gateway and a caller: requests that were signed or appended then', async () => {
    const now = Date.now();
    const bodies = TIMES.flatMap((time) => [
      vaultRequest(now, time),
      vaultRequest(time, now),
      vaultRequest(time, time),
    ]);
    const seqs = await asGateway(...bodies);
    await untilTold(seqs.at(-1)!);
    await expectEverythingTold();
  });

  it('by the gateway and party 3: statements and recipients of then', async () => {
    const head = (await readStoredLedger(vault.servers.ownerUrl)).at(-1)!;
    const bodies = TIMES.flatMap((time) => [
      third.countersign(head, { at: time }),
      third.countersign(head, { at: time }, time),
      third.recipient({
        recipientId: crypto.randomUUID(),
        publicKey: randomBytes(32),
        expiresAt: time,
      }),
    ]);
    const seqs = await asGateway(...bodies);
    await untilTold(seqs.at(-1)!);
    await expectEverythingTold();
  });

  it('go by: the vault serves and signs as before', expectService);
});

describe('by party 3 alone', () => {
  drill('thousands of statements about evidence keys keep nobody from a change', async () => {
    for (let count = 0; count < 3_200; count += 64) {
      const statements = Array.from({ length: 64 }, () =>
        third.evidenceKey(randomBytes(8).toString('hex')),
      );
      await appendStored(vault.servers.roleUrls.party_3, statements);
    }
    await expectOk(
      vault.admin,
      'POST',
      '/v1/user-groups',
      { display_name: 'behind thousands of statements' },
      PATIENT,
    );
    await expectService();
  });
});

describe('by the gateway: while one party is left', () => {
  it('10,000 requests that nobody signed keep no freeze from being obeyed at once', async () => {
    const heldUp = [nodes.party(2), nodes.party(3)];
    for (const node of heldUp) node.kill('SIGSTOP');
    let requestId = '';
    try {
      const { evidence } = signedRequest(vault.adminCredential, 'POST', '/v1/vaults', undefined);
      const unsigned = { ...evidence, body: Buffer.from('{"display_name":"nobody signed this"}') };
      await appendMany(encodeEvidenceEntry(Date.now(), unsigned, keys), 10_048, 64);
      const frozen = await vault.admin.send({
        method: 'POST',
        target: `/v1/keys/freeze?key_ids=${wallet.keyId}`,
        headers: { prefer: 'wait=1' },
      });
      expect(frozen.status).toBe(202);
      const body = { message: randomBytes(32).toString('base64') };
      const target = `${wallet.path}/raw-sign`;
      const answer = await bot.client.send({ method: 'POST', target, body });
      expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('frozen')]);
      requestId = (frozen.body as { request_id: string }).request_id;
    } finally {
      for (const node of heldUp) node.kill('SIGCONT');
    }
    expect(await finalRecord(vault.admin, requestId)).toMatchObject({ status: 'completed' });
    await expectOk(vault.admin, 'POST', `/v1/keys/unfreeze?key_ids=${wallet.keyId}`);
    await expectService();
  });
});

describe('by the gateway alone: a flood of small entries that goes on', () => {
  it('keeps nobody from a change, a freeze and a signature', async () => {
    let isOver = false;
    const flood = (async () => {
      while (!isOver) {
        await appendMany(Buffer.alloc(10, 99), 64, 64);
      }
    })();
    try {
      for (let round = 0; round < 3; round++) await expectService();
    } finally {
      isOver = true;
      await flood;
    }
  });
});

describe('by the gateway alone', () => {
  it(`${LARGEST} of the largest entries, signed by nobody or no entries at all, stop no node and no freeze behind them`, async () => {
    const bodies = [largestRefused(), Buffer.alloc(MAX_ENTRY_BYTES, 99)];
    for (let count = 0; count < LARGEST; count += 12) {
      const body = bodies[(count / 12) % 2]!;
      expect(body).toHaveLength(MAX_ENTRY_BYTES);
      await appendMany(body, 12, 12);
    }
    await freezeBot('freeze');
    await freezeBot('unfreeze');
    await expectService();
  });
});
