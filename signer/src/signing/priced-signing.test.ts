/** Rules on values in USD where requests are signed: both roles, each with prices of its own, over one ledger. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import {
  forgetOlderPrices,
  openPriceMemory,
  type PriceMemory,
} from '@countersign/runtime/prices/price-memory.js';
import { createLedgerBuilder, type LedgerBuilder } from '../../../test/support/ledger-builder.js';
import { createLimitRows } from '../../../test/support/limit-rows.js';
import {
  createTestRelay,
  openTestFeed,
  trustIn,
  type TestFeed,
} from '../../../test/support/price-relays.js';
import {
  createNoncesInMemory,
  createSharedStore,
  openSigningReplica,
  signTogether,
  type SigningReplica,
} from '../../../test/support/signing-replicas.js';
import { makeReadingKey } from '../../../test/support/venue-reading-key.js';

const PARTIES = [1, 2, 3] as const;
const relay = createTestRelay('one');
const liar = createTestRelay('one');

let ledger: LedgerBuilder;
let keyId: string;
let feeds: readonly TestFeed[];
let replicas: readonly SigningReplica[];

beforeEach(() => {
  ledger = createLedgerBuilder();
  keyId = makeReadingKey(ledger, 'binance');
  ledger.must(ledger.admin, 'PATCH', '/v1/system-settings', {
    version: ledger.state.settings.version,
    usd_value_conditions_enabled: true,
  });
  const store = createSharedStore();
  const limitRows = createLimitRows();
  feeds = PARTIES.map(() => openTestFeed(trustIn([relay]), () => ledger.now));
  // they look when a test says so
  for (const { feed } of feeds) feed.stop();
  replicas = PARTIES.map((party, index) =>
    openSigningReplica({
      party,
      name: 'a',
      ledger,
      store,
      nonces: createNoncesInMemory(),
      takenBefore: 0,
      limitRows,
      prices: feeds[index]!.feed,
    }),
  );
});

function setRules(...rules: object[]): void {
  const policy = [...ledger.state.signingPolicies.rows.values()][0]!;
  ledger.must(ledger.admin, 'PUT', `/v1/signing-policies/${policy.id}`, {
    display_name: 'in dollars',
    version: policy.version,
    rules,
  });
}

const trading = (more: object, then = 'allow') => ({
  display_name: 'trade',
  when: { operation_classes: ['trade'], initiators: { user_ids: [ledger.admin.id] }, ...more },
  then,
});
const worth = (max: string) => trading({ usd_value: { max } });

/** An order of so much BTC. */
function orderOf(quantity: string): SignItem {
  const query = `symbol=BTCUSDT&side=BUY&type=MARKET&quantity=${quantity}`;
  const request = { channel: 'rest', method: 'POST', path: '/api/v3/order', query };
  const target = `/v1/keys/${keyId}/sign`;
  const evidence = ledger.evidenceOf(ledger.admin, 'POST', target, { venue_request: request });
  const submission = randomBytes(16).toString('hex');
  return { submission, receivedAt: ledger.now, nonce: 0n, evidence };
}

/** What one party's Redis has from now on. */
const tell = (party: number, price: string, at = ledger.now) =>
  feeds[party - 1]!.tell(relay, relay.snapshot(at, { BTC: price }));
const tellAll = (price: string) => Promise.all(PARTIES.map((party) => tell(party, price)));

async function outcomeOf(quantity: string, lead = 1, partner = 2) {
  const pair = { lead: replicas[lead - 1]!, partner: replicas[partner - 1]! };
  const { outcomes, letOut } = await signTogether(ledger, pair, [orderOf(quantity)]);
  return { ...outcomes[0]!, letOut };
}

describe('a rule on a value in USD', () => {
  it('signs within its bound, and the receipt names the price, its time and its relay', async () => {
    setRules(worth('50000'));
    await tellAll('100000');
    expect(await outcomeOf('0.5')).toMatchObject({
      outcome: 'signed',
      receipt: { prices: [{ asset: 'BTC', price: '100000', at: ledger.now, relay: 'one' }] },
    });
    expect(await outcomeOf('0.50001')).toMatchObject({
      outcome: 'denied',
      reason: expect.stringMatching(/usd_value$/) as unknown,
    });
  });

  it('names no price where no rule asks for one', async () => {
    setRules(trading({}));
    const signed = await outcomeOf('0.5');
    expect(signed.outcome).toBe('signed');
    expect(signed).not.toHaveProperty('receipt.prices');
  });

  it('is denied by both without a price, with an old one, and with one of a stranger', async () => {
    setRules(worth('50000'), trading({}));
    const denied = { outcome: 'denied', reason: expect.stringMatching(/usd_value: /) as unknown };
    expect(await outcomeOf('0.1')).toMatchObject(denied);
    const forged = liar.snapshot(ledger.now, { BTC: '1' });
    await Promise.all(feeds.map((feed) => feed.tell(liar, forged)));
    expect(await outcomeOf('0.1')).toMatchObject(denied);
    await tellAll('100000');
    expect(await outcomeOf('0.1')).toMatchObject({ outcome: 'signed' });
    ledger.now += 61_000;
    expect(await outcomeOf('0.1')).toMatchObject(denied);
  });

  it('takes both: where the prices of one are beyond the bound nothing is signed', async () => {
    setRules(worth('50000'));
    await tell(1, '100000');
    await tell(2, '101000');
    await tell(3, '100000');
    for (const [lead, partner] of [
      [1, 2],
      [2, 1],
    ] as const) {
      const { outcome } = await outcomeOf('0.5', lead, partner);
      expect(outcome).toBe('retry');
    }
    expect(await outcomeOf('0.5', 1, 3)).toMatchObject({ outcome: 'signed' });
  });

  it('has the partner name its own prices, which the lead must have seen signed', async () => {
    setRules(worth('50000'));
    await tell(1, '99000', ledger.now - 5);
    await tell(2, '98000', ledger.now);
    // the lead has not looked since: it looks before it says no
    feeds[0]!.put(relay, relay.snapshot(ledger.now, { BTC: '98000' }));
    expect(await outcomeOf('0.5')).toMatchObject({
      outcome: 'signed',
      receipt: { prices: [{ price: '98000', at: ledger.now }] },
    });
  });

  it('comes to nothing where the partner names prices that nobody signed', async () => {
    setRules(worth('50000'));
    await tellAll('100000');
    const { current } = replicas[1]!.context.prices;
    const lie = { asset: 'BTC', price: '90000', at: ledger.now, relay: 'one' };
    Object.assign(replicas[1]!.context, {
      prices: { ...replicas[1]!.context.prices, current: () => ({ priceOf: () => lie }) },
    });
    expect(await outcomeOf('0.5')).toMatchObject({
      outcome: 'retry',
      reason: 'the partner names prices that were not seen here',
    });
    // nor can it have more signed than the lead's own prices allow
    expect((await outcomeOf('0.51')).outcome).toBe('retry');
    Object.assign(replicas[1]!.context, { prices: { ...replicas[1]!.context.prices, current } });
    expect((await outcomeOf('0.5')).outcome).toBe('signed');
  });

  it('comes to nothing where the partner names the price of something else', async () => {
    setRules(worth('50000'));
    const both = relay.snapshot(ledger.now, { BTC: '100000', ETH: '4000' });
    await Promise.all(feeds.map((feed) => feed.tell(relay, both)));
    const { prices } = replicas[1]!.context;
    const ether = { priceOf: () => prices.current().priceOf('ETH') };
    Object.assign(replicas[1]!.context, { prices: { ...prices, current: () => ether } });
    expect(await outcomeOf('0.5')).toMatchObject({
      outcome: 'retry',
      reason: 'the receipt is of something else',
    });
  });

  it('never goes back to an earlier price than one that was seen', async () => {
    setRules(worth('50000'));
    await tellAll('100000');
    await Promise.all(PARTIES.map((party) => tell(party, '1', ledger.now - 1)));
    expect(await outcomeOf('0.51')).toMatchObject({ outcome: 'denied' });
  });
});

/** As the party was started again, with what it kept, and was shown that before anything else. */
async function startAgain(party: 1 | 2 | 3, memory: PriceMemory, price: string, at: number) {
  const started = openTestFeed(trustIn([relay]), () => ledger.now, memory);
  started.feed.stop();
  await started.tell(relay, relay.snapshot(at, { BTC: price }));
  Object.assign(replicas[party - 1]!.context, { prices: started.feed });
  return started;
}

describe('parties that start again', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'prices-'));
    setRules(worth('50000'));
    const before = ledger.now - 10;
    for (const party of PARTIES) {
      const memory = await openPriceMemory(join(folder, `${party}`));
      const started = await startAgain(party, memory, '1', before);
      await started.tell(relay, relay.snapshot(ledger.now, { BTC: '100000' }));
    }
    expect(await outcomeOf('0.51')).toMatchObject({ outcome: 'denied' });
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('do not go back to earlier prices that are still fresh, and sign at the newest again', async () => {
    const memories = PARTIES.map((party) => openPriceMemory(join(folder, `${party}`)));
    const started = await Promise.all(
      PARTIES.map(async (party, index) =>
        startAgain(party, await memories[index]!, '1', ledger.now - 10),
      ),
    );
    expect(await outcomeOf('0.51')).toMatchObject({ outcome: 'denied' });
    const newest = relay.snapshot(ledger.now, { BTC: '100000' });
    await Promise.all(started.map((feed) => feed.tell(relay, newest)));
    expect(await outcomeOf('0.5')).toMatchObject({ outcome: 'signed' });
    expect(await outcomeOf('0.51')).toMatchObject({ outcome: 'denied' });
  });

  it('do not where they have no folder either', async () => {
    for (const party of PARTIES) {
      await startAgain(party, forgetOlderPrices(ledger.now), '1', ledger.now - 10);
    }
    expect(await outcomeOf('0.51')).toMatchObject({ outcome: 'denied' });
  });
});

describe('a limit in USD', () => {
  const daily = (limit: string) =>
    trading({ velocity: { limit, unit: 'usd', window_s: 86_400, per: 'initiator' } });

  it('adds up what requests were worth, over all pairs', async () => {
    setRules(daily('100000'));
    await tellAll('100000');
    expect((await outcomeOf('0.4', 1, 2)).outcome).toBe('signed');
    expect((await outcomeOf('0.4', 2, 3)).outcome).toBe('signed');
    expect(await outcomeOf('0.21', 1, 3)).toMatchObject({
      outcome: 'denied',
      reason: expect.stringMatching(
        /velocity: 21000 asked for, 100000 usd allowed in 86400 s, at most 60000 left$/,
      ) as unknown,
    });
    expect(await outcomeOf('0.2', 3, 1)).toMatchObject({
      outcome: 'signed',
      receipt: { prices: [{ asset: 'BTC', price: '100000' }] },
    });
  });

  it('counts the larger of what its two parties made of a request', async () => {
    setRules(daily('100000'));
    // party 1 has seen the price that party 2 goes by, and a later one
    await tell(2, '120000', ledger.now - 10);
    await tell(1, '120000', ledger.now - 10);
    await tell(1, '100000');
    for (let index = 0; index < 2; index += 1) {
      expect(await outcomeOf('0.4', 1, 2)).toMatchObject({
        outcome: 'signed',
        receipt: { prices: [{ price: '120000' }] },
      });
    }
    // 48,000 twice; by party 1's prices alone there were room for another 20,000
    expect(await outcomeOf('0.05', 1, 2)).toMatchObject({ outcome: 'denied' });
    expect(await outcomeOf('0.03', 1, 2)).toMatchObject({ outcome: 'signed' });
  });
});
