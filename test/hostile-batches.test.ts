/**
 * Batches of a hostile gateway. It takes requests for several signatures apart: it sends items twice, alone, to different
 * pairs, as other requests or not at all, and invents some. Whatever it does, each item that its caller asked for has one
 * message, and nothing else has any. And it names a head that is old.
 */
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { itemIdOf } from '@countersign/core/batch-item.js';
import type { SignOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import { SUPERSEDED_AFTER_MS } from '../signer/dist/party/seen-heads.js';
import {
  findReplicas,
  headOf,
  openHostileGateway,
  type HostileGateway,
} from './support/attacker.ts';
import { countSigned, openLimitedWallet } from './support/limit-run.ts';
import { openTestRedis } from './support/restart-redis.ts';
import { deliver, signedRequest, type SignedRequest } from './support/signed-request.ts';
import { query } from './support/signing-load.ts';
import { solanaTransfer, STRANGER } from './support/solana-transfer.ts';
import {
  eventually,
  expectOk,
  openTestVault,
  type TestUser,
  type TestVault,
  type TestWallet,
} from './support/test-vault.ts';

jest.setTimeout(120_000);

let vault: TestVault;
let bot: TestUser;
let wallet: TestWallet;
/** At most three signatures an hour. */
let limited: TestWallet;
let gateway: HostileGateway;
let replicas: [Replica, Replica, Replica];

beforeAll(async () => {
  vault = await openTestVault();
  bot = await vault.createMachine();
  wallet = await vault.createWallet({ initiators: [bot.id] });
  limited = await vault.createWallet();
  const path = `/v1/signing-policies/${limited.policyId}`;
  const { version } = await expectOk<{ version: number }>(vault.admin, 'GET', path);
  const velocity = { limit: '3', unit: 'count', window_s: 3_600, per: 'wallet' };
  const when = { operations: ['raw_sign'], initiators: { user_ids: [bot.id] }, velocity };
  const rules = [{ display_name: 'Three', when, then: 'allow' }];
  await expectOk(vault.admin, 'PUT', path, { display_name: 'Three', rules, version });
  gateway = await openHostileGateway(vault);
  const redis = openTestRedis(vault.servers.redis.url);
  replicas = await findReplicas(redis);
  redis.disconnect();
}, 90_000);

afterAll(async () => {
  await gateway?.close();
  await vault?.close();
}, 60_000);

interface Captured extends SignedRequest {
  readonly messages: readonly Buffer[];
}

function batchOf(count: number, more: object = {}, at = wallet): Captured {
  const messages = Array.from({ length: count }, () => randomBytes(32));
  const body = { messages: messages.map((each) => each.toString('base64')), ...more };
  const request = signedRequest(bot.credential, 'POST', `${at.path}/raw-sign-batch`, body);
  return { ...request, messages };
}

const items = ({ evidence }: SignedRequest, ...indexes: number[]) =>
  indexes.map((index) => ({ evidence, index }));
const wordsOf = (outcomes: readonly SignOutcome[]) => outcomes.map(({ outcome }) => outcome);
const idsOf = (outcomes: readonly SignOutcome[]) =>
  outcomes.map((each) => (each.outcome === 'signed' ? each.receipt.requestId : undefined));
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const hashesOf = (outcomes: readonly SignOutcome[]) =>
  outcomes.map((each) => (each.outcome === 'signed' ? each.receipt.messageSha256 : undefined));

async function countRecords(ids: readonly string[]): Promise<number> {
  const [row] = await query<{ count: string }>(
    vault.servers.ownerUrl,
    `SELECT count(*) FROM (SELECT request_id FROM request_result UNION ALL
       SELECT request_id FROM party_1.sign_record UNION ALL
       SELECT request_id FROM party_2.sign_record) AS row WHERE request_id = ANY($1::uuid[])`,
    [ids],
  );
  return Number(row!.count);
}

describe('a gateway that takes a batch apart', () => {
  it('gets for each item the message of that item, in whatever order and to whichever pair', async () => {
    const batch = batchOf(4);
    const [first, second, third] = replicas;
    const one = await gateway.ask(items(batch, 3, 1));
    const two = await gateway.ask(items(batch, 0, 1), { lead: third, partner: second });
    const three = await gateway.ask(items(batch, 2, 3), { lead: first, partner: third });
    const all = [...one, ...two, ...three];
    const asked = [3, 1, 0, 1, 2, 3];
    expect(wordsOf(all)).toEqual(asked.map(() => 'signed'));
    expect(idsOf(all)).toEqual(asked.map((index) => itemIdOf(batch.requestId, index)));
    expect(hashesOf(all)).toEqual(asked.map((index) => hashOf(batch.messages[index]!)));
    const leads = await query<{ count: string }>(
      vault.servers.ownerUrl,
      'SELECT count(DISTINCT payload) AS count FROM request_result WHERE request_id = $1',
      [itemIdOf(batch.requestId, 1)],
    );
    expect(Number(leads[0]!.count)).toBe(1);
  });

  it('gets nothing for an item that nobody asked for, and leaves no record of it', async () => {
    const batch = batchOf(2);
    const outcomes = await gateway.ask(items(batch, 2, 63));
    expect(wordsOf(outcomes)).toEqual(['denied', 'denied']);
    expect(await countRecords([2, 63].map((index) => itemIdOf(batch.requestId, index)))).toBe(0);
  });

  it('gets nothing for a batch as a whole, nor for an item of what is no batch', async () => {
    const batch = batchOf(1);
    const message = randomBytes(32).toString('base64');
    const lone = signedRequest(bot.credential, 'POST', `${wallet.path}/raw-sign`, { message });
    const outcomes = await gateway.ask([{ evidence: batch.evidence }, ...items(lone, 0)]);
    expect(wordsOf(outcomes)).toEqual(['denied', 'denied']);
    const ids = [batch.requestId, itemIdOf(lone.requestId, 0)];
    expect(await countRecords(ids)).toBe(0);
  });

  it('gets nothing for a batch that another path or body was signed for', async () => {
    const { evidence } = batchOf(2);
    const other = batchOf(2).evidence;
    const forged = [
      { evidence: { ...evidence, body: other.body }, index: 0 },
      { evidence: { ...evidence, path: other.path.replace('-batch', '') }, index: 0 },
      { evidence: { ...evidence, path: `${limited.path}/raw-sign-batch` }, index: 0 },
    ];
    const outcomes = await Promise.all(forged.map((each) => gateway.submit([each])));
    for (const outcome of outcomes.flatMap((each) => each ?? [])) {
      expect(outcome.outcome).not.toBe('signed');
    }
  });

  it('signs an item that it sends twice in one job once', async () => {
    const batch = batchOf(1);
    const outcomes = (await gateway.submit(items(batch, 0, 0)))!;
    expect(wordsOf(outcomes)).toEqual(['signed', 'retry']);
  });
});

describe('a batch that is wanted whole', () => {
  const whole = { all_or_none: true };

  it('is signed item by item where a gateway keeps some back: each party allowed all', async () => {
    const outcomes = await gateway.ask(items(batchOf(3, whole), 1));
    expect(wordsOf(outcomes)).toEqual(['signed']);
  });

  it('has nothing signed, whichever item a gateway sends, while one has no room in a limit', async () => {
    const batch = batchOf(4, whole, limited);
    for (const sent of [[0], [1, 2], [0, 1, 2, 3]]) {
      const outcomes = await gateway.ask(items(batch, ...sent));
      expect(wordsOf(outcomes)).toEqual(sent.map(() => 'denied'));
    }
    // what was counted for it was given back
    const outcomes = await gateway.ask(items(batchOf(3, whole, limited), 0, 1, 2));
    expect(wordsOf(outcomes)).toEqual(['signed', 'signed', 'signed']);
  });
});

it('no item is signed by a party that has seen a freeze, though others of its batch were', async () => {
  const frozen = await vault.createWallet({ initiators: [bot.id] });
  const batch = batchOf(2, {}, frozen);
  expect(wordsOf(await gateway.ask(items(batch, 0)))).toEqual(['signed']);
  const [, vaultPath, address] = /^(.*)\/wallets\/(.*)$/.exec(frozen.path)!;
  const target = `${vaultPath}/wallets/freeze?addresses=${address}`;
  await expectOk(vault.admin, 'POST', target, {});
  expect(wordsOf(await gateway.ask(items(batch, 1)))).toEqual(['denied']);
});

it('a replay is answered with nothing new', async () => {
  const batch = batchOf(2);
  expect((await deliver(vault.baseUrl, batch)).status).toBe(200);
  const before = await countRecords([0, 1].map((index) => itemIdOf(batch.requestId, index)));
  expect((await deliver(vault.baseUrl, batch)).status).toBe(401);
  await gateway.ask(items(batch, 0, 1));
  const after = await countRecords([0, 1].map((index) => itemIdOf(batch.requestId, index)));
  expect(after - before).toBeLessThanOrEqual(2); // what a partner contributes again is on its record
});

describe('a gateway that goes on naming the head before a limit was lowered, or an address was taken out', () => {
  it('no more is signed than a limit that was lowered, and nothing once the head is known to be old', async () => {
    const wallet = await openLimitedWallet(vault, 40);
    const old = await headOf(vault);
    const path = `/v1/signing-policies/${wallet.policyId}`;
    const { version, rules } = await expectOk<{
      version: number;
      rules: { id: string; when: { velocity: object } }[];
    }>(vault.admin, 'GET', path);
    const lowered = rules.map(({ id, when }) => ({
      ...{ id, display_name: 'fewer', then: 'allow' },
      when: {
        operations: ['raw_sign'],
        initiators: { user_ids: [wallet.bot.id] },
        velocity: { ...when.velocity, limit: '3' },
      },
    }));
    await expectOk(vault.admin, 'PUT', path, { display_name: 'limited', version, rules: lowered });
    const changedAt = Date.now();
    const requests = Array.from({ length: 20 }, () => wallet.newRequest());
    await gateway.submit(requests, { head: old });
    expect(await countSigned(vault, requests)).toBeLessThanOrEqual(3);
    await eventually(() => Date.now() > changedAt + SUPERSEDED_AFTER_MS + 1_000, 30_000);
    const outcomes = await gateway.submit([wallet.newRequest()], { head: old });
    expect(outcomes).toMatchObject([{ outcome: 'retry', reason: 'not over this head' }]);
  });

  it('an address that was taken out of the address book is paid no more, whatever head is named', async () => {
    const bot = await vault.createMachine();
    const { path, address, policyId } = await vault.createWallet({ initiators: [bot.id] });
    const list = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/address-lists', {
      display_name: 'Suppliers',
      entries: [{ address: STRANGER, display_name: 'A supplier' }],
    });
    const policy = `/v1/signing-policies/${policyId}`;
    const { version } = await expectOk<{ version: number }>(vault.admin, 'GET', policy);
    const when = { initiators: { user_ids: [bot.id] }, destination_lists: [list.id] };
    const rules = [{ display_name: 'To suppliers', when, then: 'allow' }];
    await expectOk(vault.admin, 'PUT', policy, { display_name: 'paid', version, rules });
    let lamports = 0n;
    const pays = () =>
      signedRequest(
        bot.credential,
        'POST',
        `${path}/sign`,
        solanaTransfer({ source: address, lamports: (lamports += 1n) }),
      );
    const old = await headOf(vault);
    expect(await gateway.ask(() => [pays()])).toMatchObject([{ outcome: 'signed' }]);
    await expectOk(vault.admin, 'PUT', `/v1/address-lists/${list.id}`, {
      version: 1,
      entries: [{ address: 'another', display_name: 'Another supplier' }],
    });
    const changedAt = Date.now();
    await eventually(() => Date.now() > changedAt + SUPERSEDED_AFTER_MS + 1_000, 30_000);
    expect(await gateway.submit([pays()], { head: old })).toMatchObject([
      { outcome: 'retry', reason: 'not over this head' },
    ]);
    const now = await gateway.ask(() => [pays()]);
    expect(now).toMatchObject([{ outcome: 'denied' }]);
    expect(JSON.stringify(now)).toContain('destination_lists');
  });
});
