/**
 * A draft tried on 100,000 requests on record, and how long reads of the same gateway take meanwhile and, in turns with
 * that, alone. Prints both. `REQUESTS` sets how many.
 */
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createCountersignClient } from '../../client/dist/calls/countersign-client.js';
import type { RawClient } from '../../client/dist/calls/raw-client.js';
import { TURN_MS } from '../../gateway/dist/read/fair-share.js';
import { writeHistory, type PastRequest } from '../../test/support/recorded-history.ts';
import { allowKeys, generateKey } from '../../test/support/standalone-keys.ts';
import { openTestVault, type TestUser, type TestVault } from '../../test/support/test-vault.ts';

const REQUESTS = Number(process.env['REQUESTS'] ?? 100_000);
const MAX_SECONDS = 60;
const READS_ALONE = 20;
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
  return took;
}

interface Answer {
  readonly totals: Record<string, number>;
  readonly next_cursor: string | null;
}

async function tryDraft(cursor: string | null): Promise<Answer> {
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
  return said as Answer;
}

/** By turns, so that what else this machine does falls on both. */
async function readInTurns() {
  const totals: Record<string, number> = {};
  const alone: number[] = [];
  const beside: number[] = [];
  let seconds = 0;
  let cursor: string | null = null;
  do {
    let reads = 0;
    alone.push(...(await readsUntil(() => ++reads > READS_ALONE)));
    let isOver = false;
    const meanwhile = readsUntil(() => isOver);
    const startedAt = performance.now();
    const answer: Answer = await tryDraft(cursor);
    seconds += (performance.now() - startedAt) / 1_000;
    isOver = true;
    beside.push(...(await meanwhile));
    for (const [name, count] of Object.entries(answer.totals)) {
      totals[name] = (totals[name] ?? 0) + count;
    }
    cursor = answer.next_cursor;
  } while (cursor !== null);
  return { totals, alone, beside, seconds };
}

const PARTS = [0.5, 0.9] as const;

function partsOf(took: readonly number[]): number[] {
  const sorted = took.toSorted((a, b) => a - b);
  return PARTS.map((part) => sorted[Math.floor(sorted.length * part)]!);
}

const told = (parts: readonly number[]) => parts.map((ms) => ms.toFixed(1)).join(' / ');

it(`tells of ${REQUESTS} requests in less than ${MAX_SECONDS} s, and a read waits for a turn of it and no longer`, async () => {
  const { totals, alone, beside, seconds } = await readInTurns();
  const [without, withIt] = [partsOf(alone), partsOf(beside)];
  process.stderr.write(
    `${JSON.stringify(totals)} in ${seconds.toFixed(1)} s; reads (p50 / p90, ms): ` +
      `${told(without)} alone (${alone.length} of them), ${told(withIt)} meanwhile (${beside.length})\n`,
  );
  expect(totals).toMatchObject({ requests: REQUESTS, cannot_say: 0 });
  expect(totals['newly_allowed']! + totals['newly_denied']! + totals['same']!).toBe(REQUESTS);
  expect(seconds).toBeLessThan(MAX_SECONDS);
  // The event loop is a read's for half of the time, so it takes twice as long at most; and it begins behind a turn, and
  // goes on behind another one where it waited for something. Behind a whole page it would wait for 50 ms.
  for (const [index, ms] of without.entries()) {
    expect(withIt[index]).toBeLessThan(2 * ms + 2 * TURN_MS);
  }
}, 600_000);
