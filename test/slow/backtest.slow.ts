/**
 * A draft tried on 100,000 requests on record, and how long reads of the same gateway take meanwhile. Prints both.
 * `REQUESTS` sets how many.
 */
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createCountersignClient } from '../../client/dist/calls/countersign-client.js';
import type { RawClient } from '../../client/dist/calls/raw-client.js';
import { writeHistory, type PastRequest } from '../support/recorded-history.ts';
import { allowKeys, generateKey } from '../support/standalone-keys.ts';
import { openTestVault, type TestUser, type TestVault } from '../support/test-vault.ts';

const REQUESTS = Number(process.env['REQUESTS'] ?? 100_000);
const MAX_SECONDS = 60;
const READS_BEFORE = 1_000;
const DAY_MS = 86_400_000;

let vault: TestVault;
let bot: TestUser;
let keyId: string;
let groupId: string;
/** One that does not look at what it is answered: that would take time as well. */
let client: RawClient;
const to = Date.now();
const from = to - DAY_MS;

beforeAll(async () => {
  vault = await openTestVault({ logLevel: 'error' });
  const { baseUrl, adminCredential } = vault;
  client = createCountersignClient({ baseUrl, ...adminCredential });
  bot = await vault.createMachine();
  const key = await generateKey(vault, {
    type: 'ed25519',
    display_name: 'Orders',
    venue_id: 'binance',
    venue_api_key: 'ordersApiKey',
  });
  keyId = key.id;
  const allowed = await allowKeys(vault, [keyId], { operation_classes: ['trade'] });
  groupId = allowed.groupId;
  const policy = { id: allowed.policyId, version: 1, ruleId: allowed.policyId };
  const reason = 'no signing policy rule allows this request';
  await writeHistory(vault, { policy, reason }, pastRequests());
}, 600_000);
afterAll(async () => {
  client?.close();
  await vault?.close();
}, 60_000);

/** Orders of many sizes in two markets; every second one was refused. */
function* pastRequests(): Iterable<PastRequest> {
  const { apiKey } = bot.credential;
  for (let index = 0; index < REQUESTS; index++) {
    const symbol = index % 4 < 2 ? 'BTCUSDT' : 'ETHUSDT';
    const query = `symbol=${symbol}&side=BUY&type=LIMIT&timeInForce=GTC&quantity=${index % 10}.5&price=100`;
    const venueRequest = { channel: 'rest', method: 'POST', path: '/api/v3/order', query };
    yield {
      path: `/v1/keys/${keyId}/sign`,
      body: { venue_request: venueRequest },
      ...{ keyId, apiKey, userId: bot.id },
      at: from + Math.floor((index * DAY_MS) / REQUESTS),
      isSigned: index % 2 === 0,
    };
  }
}

/** ms that each of a caller's reads took, one after another, until it is told to stop. */
async function readsUntil(isOver: () => boolean): Promise<number[]> {
  const took: number[] = [];
  while (!isOver()) {
    const startedAt = performance.now();
    expect((await client.get(`/v1/keys/${keyId}`)).status).toBe(200);
    took.push(performance.now() - startedAt);
    await setImmediate();
  }
  return took.toSorted((a, b) => a - b);
}

const told = (took: readonly number[]) =>
  [0.5, 0.9, 0.99].map((part) => took[Math.floor(took.length * part)]!.toFixed(1)).join(' / ');

it(`tells of ${REQUESTS} requests in less than ${MAX_SECONDS} s`, async () => {
  let reads = 0;
  const alone = await readsUntil(() => ++reads > READS_BEFORE);
  let isOver = false;
  const meanwhile = readsUntil(() => isOver);
  const startedAt = performance.now();
  const totals: Record<string, number> = {};
  let cursor: string | null = null;
  do {
    const body = {
      security_group_id: groupId,
      rules: [
        {
          display_name: 'Small orders in BTC',
          when: { initiators: 'anyone', symbols: ['BTCUSDT'], amount: { max: '5' } },
          then: 'allow',
        },
      ],
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      ...(cursor !== null && { cursor }),
    };
    const target = '/v1/signing-policies/backtest';
    const { status, body: said } = await client.send({ method: 'POST', target, body });
    expect(status).toBe(200);
    const answer = said as { totals: Record<string, number>; next_cursor: string | null };
    for (const [name, count] of Object.entries(answer.totals)) {
      totals[name] = (totals[name] ?? 0) + count;
    }
    cursor = answer.next_cursor;
  } while (cursor !== null);
  const seconds = (performance.now() - startedAt) / 1_000;
  isOver = true;
  const beside = await meanwhile;
  process.stderr.write(
    `${JSON.stringify(totals)} in ${seconds.toFixed(1)} s; reads (p50 / p90 / p99, ms): ` +
      `${told(alone)} alone, ${told(beside)} meanwhile (${beside.length} of them)\n`,
  );
  expect(totals).toMatchObject({ requests: REQUESTS, cannot_say: 0 });
  expect(totals['newly_allowed']! + totals['newly_denied']! + totals['same']!).toBe(REQUESTS);
  expect(seconds).toBeLessThan(MAX_SECONDS);
}, 600_000);
