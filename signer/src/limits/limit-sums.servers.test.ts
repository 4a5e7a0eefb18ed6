/** The sums of a window say no less than its claims do, and change no answer. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import fc from 'fast-check';
import pg from 'pg';
import { howMany } from '../../../test/support/how-many.js';
import { openTestServers, type TestServers } from '../../../test/support/test-servers.js';
import { createLimitStore, type LimitStore } from './limit-store.js';
import type { RequestClaim } from './own-counts.js';

let servers: TestServers;
const pools = new Map<PartyNumber, pg.Pool>();

beforeAll(async () => {
  servers = await openTestServers();
  for (const party of PARTY_NUMBERS) {
    const connectionString = servers.roleUrls[`party_${party}`];
    pools.set(party, new pg.Pool({ connectionString, max: 2 }));
  }
}, 60_000);
afterAll(async () => {
  for (const pool of pools.values()) await pool.end();
  await servers?.close();
}, 60_000);

const NOW = Date.UTC(2026, 10, 23);
const WINDOW_MS = 16_000;
const LIMIT = '20';
const newBucket = () => randomUUID().replaceAll('-', '').repeat(2);
const storeOf = (party: PartyNumber): LimitStore => createLimitStore(pools.get(party)!, party);
const PAIRS = PARTY_NUMBERS.flatMap((a) =>
  PARTY_NUMBERS.filter((b) => b !== a).map((b): readonly [PartyNumber, PartyNumber] => [a, b]),
);

/** One of a few requests, so that they come back, to other pairs, for other amounts, and by clocks that differ. */
const asked = fc.record({ request: fc.nat(5), amount: fc.nat(9) });
const step = fc.record({
  pair: fc.constantFrom(...PAIRS),
  what: fc.constantFrom('claim', 'claim', 'claim', 'give back'),
  asked: fc.array(asked, { minLength: 1, maxLength: 3 }),
  laterMs: fc.nat(5_000),
  skewMs: fc.integer({ min: -900, max: 900 }),
});

interface Sums {
  readonly used: string;
  readonly bound: string;
  readonly holds: boolean;
}

/** What a pair has in the window by its claims beside `requestId`, and by its sums. */
async function sumsOf(
  [own, partner]: readonly [PartyNumber, PartyNumber],
  bucket: string,
  since: number,
  requestId: string = randomUUID(),
): Promise<Sums> {
  const { rows } = await pools.get(own)!.query<Sums>(
    `SELECT used, bound, used <= bound AS holds FROM (SELECT
       countersign_limit_used(ARRAY[$1, $2]::smallint[], $3, $4, $5) AS used,
       countersign_limit_bound($1, $2, $3, $5) AS bound) AS sums`,
    [own, partner, Buffer.from(bucket, 'hex'), requestId, since],
  );
  return rows[0]!;
}

describe('the sums of a window', () => {
  it('say no less than its claims, and leave every answer as it is claim by claim', async () => {
    let close = 0;
    const story = fc.array(step, { minLength: 8, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(story, async (steps) => {
        const [bucket, apart] = [newBucket(), newBucket()];
        const ids = Array.from({ length: 6 }, () => randomUUID());
        let now = NOW;
        for (const { pair, what, asked: all, laterMs, skewMs } of steps) {
          now += laterMs;
          const [own, partner] = pair;
          const [store, at] = [storeOf(own), now + skewMs];
          const claimsIn = (name: string): RequestClaim[] =>
            all.map(({ request, amount }) => ({
              bucket: name,
              requestId: ids[request]!,
              amount: `${amount}.5`,
              limit: LIMIT,
              windowMs: WINDOW_MS,
            }));
          if (what === 'give back') {
            for (const each of [bucket, apart]) await store.giveBack(claimsIn(each));
            continue;
          }
          const expected: boolean[] = [];
          for (const claim of claimsIn(apart)) {
            const { used } = await sumsOf(pair, apart, at - WINDOW_MS, claim.requestId);
            expected.push(Number(used) + Number(claim.amount) <= Number(LIMIT));
            expect(await store.claim(partner, [claim], at)).toEqual(expected.slice(-1));
          }
          expect(await store.claim(partner, claimsIn(bucket), at)).toEqual(expected);
          for (const each of PAIRS.filter(([a, b]) => a < b === (now % 2 === 0))) {
            const { used, bound, holds } = await sumsOf(each, bucket, at - WINDOW_MS);
            if (!holds) throw new Error(`${each.join('')} has ${used}, and its sums say ${bound}`);
            if (used === bound && Number(used) > 0) close += 1;
          }
        }
      }),
      { numRuns: howMany(20) },
    );
    expect(close).toBeGreaterThan(0);
  }, 120_000);

  it('count a request that comes again, after its window, as what it had been claimed for', async () => {
    const bucket = newBucket();
    const [again, other, last] = [randomUUID(), randomUUID(), randomUUID()];
    const claim = (requestId: string, amount: string): RequestClaim => ({
      ...{ bucket, requestId, amount },
      ...{ limit: LIMIT, windowMs: WINDOW_MS },
    });
    const later = NOW + WINDOW_MS + 1_000;
    const store = storeOf(3);
    expect(await store.claim(1, [claim(again, '8')], NOW)).toEqual([true]);
    const batch = [claim(again, '1'), claim(other, '7'), claim(last, '7')];
    expect(await store.claim(1, batch, later)).toEqual([true, true, false]);
  });

  it('come to what was signed, not to twice that, where one pair signs all of it', async () => {
    const bucket = newBucket();
    const [lead, partner] = [storeOf(1), storeOf(2)];
    for (let request = 0; request < 18; request++) {
      const claims = [
        { bucket, requestId: randomUUID(), amount: '1', limit: LIMIT, windowMs: WINDOW_MS },
      ];
      const at = NOW + 500 + request;
      expect(await partner.claim(1, claims, at)).toEqual([true]);
      expect(await lead.claim(2, claims, at + 1)).toEqual([true]);
      expect(await lead.confirm(2, claims, at + 1)).toEqual([true]);
    }
    expect(await sumsOf([1, 2], bucket, NOW - WINDOW_MS / 2)).toMatchObject({ bound: '18' });
    // each party by itself, whatever the other says
    expect(await sumsOf([1, 3], bucket, NOW - WINDOW_MS / 2)).toMatchObject({ bound: '18' });
    const forged = `UPDATE party_2.limit_sum SET total = 0, copied = 1000`;
    await pools.get(2)!.query(forged);
    expect(await sumsOf([1, 2], bucket, NOW - WINDOW_MS / 2)).toMatchObject({ bound: '18' });
    await expect(pools.get(1)!.query(forged)).rejects.toThrow('permission denied');
  });

  it('count claims that were there before them for as long as the last of those', async () => {
    const bucket = newBucket();
    const claims = [0, 7_300].map((laterMs) => ({
      at: NOW + laterMs,
      claim: { bucket, requestId: randomUUID(), amount: '3', limit: LIMIT, windowMs: WINDOW_MS },
    }));
    for (const { at, claim } of claims) await storeOf(2).claim(1, [claim], at);
    await pools.get(2)!.query('DELETE FROM party_2.limit_sum');
    await pools.get(2)!.query(`INSERT INTO party_2.limit_sum (bucket, up_to, beside, total, copied)
      SELECT bucket, max(at), 0, sum(amount), 0 FROM party_2.limit_claim GROUP BY bucket`);
    for (const { at, claim } of claims) await storeOf(1).claim(2, [claim], at + 20);
    for (let ms = -10; ms < WINDOW_MS / 2; ms += 20) {
      const { used, bound, holds } = await sumsOf([2, 1], bucket, NOW + ms);
      if (!holds) throw new Error(`${ms} ms later there are ${used}, and the sums say ${bound}`);
    }
  });
});
