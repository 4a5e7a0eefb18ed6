import { createPublicKey, randomBytes, randomUUID, verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { findViewFault } from '@countersign/api/receipt.js';
import { createVerifyParty } from '@countersign/api/signed-tree.js';
import { itemIdOf } from '@countersign/core/batch-item.js';
import { createCountersignClient } from '../client/dist/calls/countersign-client.js';
import { createVenueSignatures } from '../client/dist/together/venue-signatures.js';
import type { RawClient } from '../client/dist/calls/raw-client.js';
import { call, expectRefusal } from './support/api.ts';
import { readAsBinance } from './support/binance-venue.ts';
import { importSecret } from './support/desk-import.ts';
import { readGenesis } from './support/genesis.ts';
import { query } from './support/signing-load.ts';
import { solanaTransfer } from './support/solana-transfer.ts';
import { allowKeys, type KeyView } from './support/standalone-keys.ts';
import {
  eventually,
  expectOk,
  openSharedVault,
  type TestUser,
  type TestWallet,
  type VaultInUse,
} from './support/test-vault.ts';

type Receipt = Parameters<typeof findViewFault>[0];

interface Item {
  item_id: string;
  index: number;
  status: 'signed' | 'denied' | 'failed';
  err_type?: string;
  err_msg?: string;
  request?: { method: string; path: string; query: string; headers: object; body: string };
  signature?: string;
  receipt?: Receipt & { request_id: string; signed_at: string };
}

interface Waiting {
  request_id: string;
  operation: string;
}

interface Batch {
  request_id: string;
  results: Item[];
}

jest.setTimeout(90_000);

let vault: VaultInUse;
let bot: TestUser;

beforeAll(async () => {
  vault = await openSharedVault();
  bot = await vault.createMachine();
}, 60_000);
afterAll(() => vault?.close(), 60_000);

const order = (quantity: string, price = '0.1') => ({
  channel: 'rest',
  method: 'POST',
  path: '/api/v3/order',
  query: `symbol=LTCBTC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=${quantity}&price=${price}`,
});

const signOrders = (key: KeyView, venue_requests: object[], more: object = {}) =>
  expectOk<Batch>(bot.client, 'POST', `/v1/keys/${key.id}/sign-batch`, { venue_requests, ...more });

const statusesOf = ({ results }: Batch) => results.map(({ status }) => status);

/** What is not signed tells why. */
const notSigned = ({ results }: Batch) => results.filter(({ status }) => status !== 'signed');

async function expectReceipts({ request_id: requestId, results }: Batch): Promise<void> {
  const { genesisHash, parties } = await readGenesis(vault);
  const trust = { genesisHash, verifyParty: createVerifyParty(parties) };
  results.forEach(({ item_id: itemId, index, receipt, status }, at) => {
    expect([index, itemId]).toEqual([at, itemIdOf(requestId, at)]);
    if (status !== 'signed') return;
    expect(receipt!.request_id).toBe(itemId);
    expect(findViewFault(receipt!, trust)).toBeUndefined();
  });
}

describe('a ladder of orders', () => {
  const secret = randomBytes(32);
  let key: KeyView;

  beforeAll(async () => {
    key = await importSecret(
      vault,
      {
        type: 'hmac',
        secret: Buffer.from(secret.toString('hex')),
        passphrase: '',
        encoding: 'utf8',
      },
      { venueId: 'binance', venueApiKey: 'ladderApiKey' },
    );
    await allowKeys(vault, [key.id], {
      operation_classes: ['trade'],
      symbols: ['LTCBTC'],
      amount: { max: '2' },
      initiators: { user_ids: [bot.id] },
    });
  }, 90_000);

  it('comes back in order, each with an id, a signature and a receipt of its own', async () => {
    const prices = Array.from({ length: 64 }, (_, index) => `0.${100 + index}`);
    const batch = await signOrders(
      key,
      prices.map((price) => order('1', price)),
    );
    expect(notSigned(batch)).toEqual([]);
    await expectReceipts(batch);
    const read = batch.results.map(({ request }) =>
      readAsBinance(request as never, Buffer.from(secret.toString('hex')))?.get('price'),
    );
    expect(read).toEqual(prices);
  });

  it('is signed but for what is denied, and that is on record for itself', async () => {
    const batch = await signOrders(key, [order('1'), order('3'), order('2')]);
    expect(statusesOf(batch)).toEqual(['signed', 'denied', 'signed']);
    expect(batch.results[1]).toMatchObject({ err_type: 'forbidden' });
    await expectReceipts(batch);
    const { request_id: batchId } = batch;
    for (const { item_id: id, index, status } of batch.results) {
      const record = await expectOk<object>(bot.client, 'GET', `/v1/requests/${id}`);
      // what a gateway refused never came to be an item that a party knows
      if (status === 'signed') {
        expect(record).toMatchObject({ batch: { request_id: batchId, index } });
      }
      expect(record).toMatchObject({
        request_id: id,
        operation: 'sign-with-key',
        status: status === 'signed' ? 'completed' : 'rejected',
      });
    }
    const whole = await expectOk(bot.client, 'GET', `/v1/requests/${batch.request_id}`);
    expect(whole).toMatchObject({
      request_id: batch.request_id,
      operation: 'sign-batch-with-key',
      status: 'completed',
      result: batch,
      content: { path: `/v1/keys/${key.id}/sign-batch` },
      items: batch.results.map(({ item_id: id, index, status }) => ({
        request_id: id,
        index,
        status: status === 'signed' ? 'completed' : 'rejected',
      })),
    });
  });

  it('is signed whole or not at all where its caller wants that', async () => {
    const none = await signOrders(key, [order('1'), order('3')], { all_or_none: true });
    expect(statusesOf(none)).toEqual(['denied', 'denied']);
    expect(none.results[0]!.err_msg).toContain('all_or_none: item 1 is denied');
    const all = await signOrders(key, [order('1'), order('2')], { all_or_none: true });
    expect(statusesOf(all)).toEqual(['signed', 'signed']);
  });

  it('is stored with its evidence once', async () => {
    const { request_id: id, results } = await signOrders(key, [order('1'), order('2'), order('1')]);
    const stored = await query<{ count: string }>(
      vault.servers.ownerUrl,
      'SELECT count(*) FROM batch_evidence WHERE batch_id = $1',
      [id],
    );
    expect(Number(stored[0]!.count)).toBe(1);
    const rows = await query<{ evidence: Buffer | null }>(
      vault.servers.ownerUrl,
      'SELECT evidence FROM request_result WHERE request_id = ANY($1::uuid[])',
      [results.map(({ item_id: itemId }) => itemId)],
    );
    expect(rows.map(({ evidence }) => evidence)).toEqual([null, null, null]);
  });

  it('counts item by item against a limit, the earlier before the later', async () => {
    const limited = await importSecret(
      vault,
      { type: 'hmac', secret: Buffer.from('limited'), passphrase: '', encoding: 'utf8' },
      { venueId: 'binance', venueApiKey: 'limitedApiKey' },
    );
    await allowKeys(vault, [limited.id], {
      operation_classes: ['trade'],
      symbols: ['LTCBTC'],
      initiators: { user_ids: [bot.id] },
      velocity: { limit: '5', unit: 'amount', window_s: 3600, per: 'key' },
    });
    const whole = await signOrders(limited, [order('2'), order('4')], { all_or_none: true });
    expect(statusesOf(whole)).toEqual(['denied', 'denied']);
    const batch = await signOrders(limited, [order('2'), order('4'), order('2'), order('1')]);
    expect(statusesOf(batch)).toEqual(['signed', 'denied', 'signed', 'signed']);
    const full = await signOrders(limited, [order('1')]);
    expect(statusesOf(full)).toEqual(['denied']);
    const [last] = full.results as { err_msg?: string; retry_after_s?: number }[];
    const [, seconds] = /room in (\d+) s or later/.exec(last!.err_msg!)!;
    expect(last!.retry_after_s).toBe(Number(seconds));
  });

  it('is refused whole where nothing of it could be allowed, or it is none', async () => {
    const stranger = await vault.createMachine();
    const path = `/v1/keys/${key.id}/sign-batch`;
    const refused = (
      type: Parameters<typeof expectRefusal>[0],
      client: RawClient,
      body: object,
      text?: string,
    ) => expectRefusal(type, client, 'POST', path, body, text);
    await refused('forbidden', stranger.client, { venue_requests: [order('1')] });
    await refused('invalid_inputs', bot.client, { venue_requests: [] }, 'venue_requests');
    const many = Array.from({ length: 65 }, () => order('1'));
    await refused('invalid_inputs', bot.client, { venue_requests: many }, 'venue_requests');
    await refused('invalid_inputs', bot.client, { venue_requests: [{ ...order('1'), x: 1 }] }, 'x');
  });

  it('is answered 202 to whoever does not wait, and its record then has every item', async () => {
    const body = { venue_requests: [order('1'), order('3'), order('2')] };
    const headers = { prefer: 'respond-async' };
    const path = `/v1/keys/${key.id}/sign-batch`;
    const answer = await call(bot.client, 'POST', path, body, headers);
    expect(answer.status).toBe(202);
    const { request_id: id } = answer.body as { request_id: string };
    const record = await eventually(async () => {
      const found = await expectOk<{ status: string; result?: Batch }>(
        bot.client,
        'GET',
        `/v1/requests/${id}`,
      );
      return found.status === 'completed' ? found : undefined;
    });
    expect(statusesOf(record.result!)).toEqual(['signed', 'denied', 'signed']);
    await expectReceipts(record.result!);
  });

  it('has one idempotency key', async () => {
    const body = { venue_requests: [order('1'), order('3')] };
    const headers = { 'idempotency-key': randomUUID() };
    const path = `/v1/keys/${key.id}/sign-batch`;
    const first = await call(bot.client, 'POST', path, body, headers);
    const again = await call(bot.client, 'POST', path, body, headers);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body).toEqual(first.body);
    const other = { venue_requests: [order('1')] };
    expect((await call(bot.client, 'POST', path, other, headers)).status).toBe(409);
  });

  it('is refused, and no item is signed, once the key is frozen', async () => {
    await expectOk(vault.admin, 'POST', `/v1/keys/freeze?key_ids=${key.id}`, {});
    const path = `/v1/keys/${key.id}/sign-batch`;
    const body = { venue_requests: [order('1')] };
    await expectRefusal('forbidden', bot.client, 'POST', path, body, 'frozen');
    await expectOk(vault.admin, 'POST', `/v1/keys/unfreeze?key_ids=${key.id}`, {});
  });
});

it('a bot that asks in one turn hears of each, approvals and all', async () => {
  const key = await importSecret(
    vault,
    { type: 'hmac', secret: Buffer.from('together'), passphrase: '', encoding: 'utf8' },
    { venueId: 'binance', venueApiKey: 'togetherApiKey' },
  );
  const approver = await vault.createMachine();
  const when = (max: string) => ({
    operation_classes: ['trade'],
    symbols: ['LTCBTC'],
    amount: { max },
    initiators: { user_ids: [bot.id] },
  });
  const approvals = { quorum: 1, user_ids: [approver.id] };
  const { groupId } = await allowKeys(vault, [key.id], when('2'));
  await expectOk(vault.admin, 'POST', '/v1/signing-policies', {
    display_name: 'large orders together',
    security_group_id: groupId,
    rules: [{ display_name: 'large', when: when('5'), then: { require_approvals: approvals } }],
  });
  const { apiKey, privateKey } = bot.credential;
  const client = createCountersignClient({ baseUrl: vault.baseUrl, apiKey, privateKey });
  const sign = createVenueSignatures({ client, keyId: key.id, waitMs: 60_000 });
  const asked = ['1', '4', '2', '9'].map((quantity) => sign(order(quantity) as never));
  const waiting = await eventually(async () => {
    const path = '/v1/requests?awaiting_my_approval=true';
    const { results } = await expectOk<{ results: Waiting[] }>(approver.client, 'GET', path);
    return results[0];
  });
  expect(waiting!.operation).toBe('sign-with-key');
  const target = `/v1/requests/${waiting!.request_id}`;
  const { digest } = await expectOk<{ digest: string }>(approver.client, 'GET', target);
  await expectOk(approver.client, 'POST', `${target}/approve`, { digest });
  const results = await Promise.all(asked);
  client.close();
  expect(results.map((result) => (result.ok ? 'signed' : result.error.errType))).toEqual([
    'signed',
    'signed',
    'signed',
    'forbidden',
  ]);
  const quantities = results.map((result) =>
    result.ok ? new URLSearchParams(result.value.request.query).get('quantity') : undefined,
  );
  expect(quantities).toEqual(['1', '4', '2', undefined]);
});

it('numbers of a venue that wants them rising rise in the order of the batch', async () => {
  const key = await importSecret(
    vault,
    { type: 'hmac', secret: randomBytes(64), passphrase: '', encoding: 'base64' },
    { venueId: 'kraken', venueApiKey: 'risingApiKey' },
  );
  await allowKeys(vault, [key.id], {
    operation_classes: ['read'],
    initiators: { user_ids: [bot.id] },
  });
  const balance = { channel: 'rest', method: 'POST', path: '/0/private/Balance' };
  const { results } = await signOrders(
    key,
    Array.from({ length: 20 }, () => balance),
  );
  const nonces = results.map(({ request }) =>
    BigInt(new URLSearchParams(request!.body).get('nonce')!),
  );
  expect(nonces).toEqual(nonces.toSorted((a, b) => (a < b ? -1 : 1)));
  expect(new Set(nonces).size).toBe(20);
});

describe('with a wallet', () => {
  let wallet: TestWallet;

  beforeAll(async () => {
    wallet = await vault.createWallet({ initiators: [bot.id, vault.adminId] });
  });

  function openSslVerifies(message: Uint8Array, signature: string): boolean {
    const x = Buffer.from(wallet.publicKey, 'base64').toString('base64url');
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return verify(null, message, publicKey, Buffer.from(signature, 'base64'));
  }

  it.each([false, true])(
    'messages are signed as they are (all or none: %s)',
    async (all_or_none) => {
      const messages = Array.from({ length: 64 }, () => randomBytes(32));
      const batch = await expectOk<Batch>(bot.client, 'POST', `${wallet.path}/raw-sign-batch`, {
        messages: messages.map((message) => message.toString('hex')),
        message_encoding: 'hex',
        all_or_none,
      });
      expect(notSigned(batch)).toEqual([]);
      const valid = batch.results.map(({ signature }, index) =>
        openSslVerifies(messages[index]!, signature!),
      );
      expect(valid).toEqual(messages.map(() => true));
      await expectReceipts(batch);
    },
  );

  it('the client asks for several, and each has a row in the audit log', async () => {
    const { apiKey, privateKey } = bot.credential;
    const client = createCountersignClient({ baseUrl: vault.baseUrl, apiKey, privateKey });
    const [, vault_id, address] = /vaults\/(.*)\/wallets\/(.*)$/.exec(wallet.path)!;
    const signed = await client.call('raw-sign-batch', {
      params: { vault_id: vault_id!, address: address! },
      body: { messages: ['AAAA', 'AAAB'] },
    });
    client.close();
    if (!signed.ok) throw new Error(signed.error.errMsg);
    const { request_id: id, results } = signed.value;
    await expectReceipts({ request_id: id, results: results as Item[] });
    const { results: rows } = await expectOk<{ results: { request_id: string }[] }>(
      vault.admin,
      'GET',
      `/v1/audit-logs?wallet_addresses=${address}&limit=100`,
    );
    const ids = new Set(rows.map(({ request_id: of }) => of));
    expect(results.map(({ item_id: itemId }) => ids.has(itemId))).toEqual([true, true]);
  });

  it('transactions are decoded one by one: what is none is denied alone', async () => {
    const { address } = wallet;
    const good = solanaTransfer({ source: address, feePayer: address });
    const batch = await expectOk<Batch>(bot.client, 'POST', `${wallet.path}/sign-batch`, {
      network_id: good.network_id,
      transactions: [good.transaction, Buffer.from('none').toString('base64')],
    });
    expect(statusesOf(batch)).toEqual(['signed', 'denied']);
    expect(batch.results[1]!.err_type).toBe('invalid_inputs');
    await expectReceipts(batch);
  });
});
