/** However requests interleave at pairs, replicas and statements, no window holds more signatures than its limit. */
import { describe, expect, it } from '@jest/globals';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import fc from 'fast-check';
import { howMany } from '../../../test/support/how-many.js';
import { createLimitRows } from '../../../test/support/limit-rows.js';
import { createLimits, type Limits } from './limits.js';
import type { RequestClaim } from './own-counts.js';

const LIMIT = 2;
const claimOf = (requestId: number): RequestClaim => ({
  bucket: 'b',
  requestId: `${requestId}`,
  amount: '1',
  limit: `${LIMIT}`,
  windowMs: 60_000,
});

/** An attempt at a request: which pair, which of two replicas of each, and what becomes of it once both have room. */
const attempt = fc.record({
  request: fc.nat(23),
  pair: fc.constantFrom<[PartyNumber, PartyNumber]>([1, 2], [2, 3], [3, 1], [2, 1], [3, 2], [1, 3]),
  replicas: fc.tuple(fc.nat(1), fc.nat(1)),
  fate: fc.constantFrom('signed', 'signed', 'signed', 'fails', 'dies'),
});
type Attempt = typeof attempt extends fc.Arbitrary<infer Value> ? Value : never;

/** As a batch goes: the partner takes, the lead takes, and then there may be a signature. */
async function sign(limitsOf: (party: PartyNumber, replica: number) => Limits, one: Attempt) {
  const claims = [claimOf(one.request)];
  const [lead, partner] = one.pair;
  const [given] = await limitsOf(partner, one.replicas[1]).take('partner', lead, claims);
  if (given !== true) return false;
  const leading = limitsOf(lead, one.replicas[0]);
  const [isLed] = await leading.take('lead', partner, claims);
  if (isLed !== true || one.fate === 'dies') return false;
  if (one.fate === 'signed') return true;
  await leading.giveBack(claims);
  return false;
}

async function runAll(
  scheduler: fc.Scheduler,
  attempts: readonly Attempt[],
  isTruthful: boolean,
): Promise<Set<number>> {
  const rows = createLimitRows(async () => {
    await scheduler.schedule(Promise.resolve());
    if (!isTruthful) rows.forget();
  });
  const opened = new Map<string, Limits>();
  const limitsOf = (party: PartyNumber, replica: number) => {
    const name = `${party} ${replica}`;
    const limits = opened.get(name) ?? rows.openLimits(party, () => 0);
    opened.set(name, limits);
    return limits;
  };
  const signed = new Set<number>();
  const all = attempts.map(async (one) => {
    if (await sign(limitsOf, one)) signed.add(one.request);
  });
  await scheduler.waitFor(Promise.all(all));
  return signed;
}

const stories = fc.array(attempt, { minLength: 6, maxLength: 30 });

describe('limits of three parties with two replicas each', () => {
  it('are never passed, however statements of pairs follow each other', async () => {
    let full = 0;
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), stories, async (scheduler, attempts) => {
        const { size } = await runAll(scheduler, attempts, true);
        expect(size).toBeLessThanOrEqual(LIMIT);
        if (size === LIMIT) full += 1;
      }),
      { numRuns: howMany(600) },
    );
    expect(full).toBeGreaterThan(0);
  }, 60_000);

  it('are passed by no more than what each process counts for itself where the database forgets all', async () => {
    const processes = PARTY_NUMBERS.length * 2;
    let most = 0;
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), stories, async (scheduler, attempts) => {
        const { size } = await runAll(scheduler, attempts, false);
        // each signature is counted by two processes
        expect(size).toBeLessThanOrEqual((LIMIT * processes) / 2);
        most = Math.max(most, size);
      }),
      { numRuns: howMany(200) },
    );
    expect(most).toBeGreaterThan(LIMIT);
  }, 60_000);

  it('are not passed by three pairs of which each leads what the next contributed to', async () => {
    const rows = createLimitRows(() => new Promise(setImmediate));
    const parties = new Map(PARTY_NUMBERS.map((party) => [party, rows.openLimits(party, () => 0)]));
    const circle: [PartyNumber, PartyNumber][] = [
      [1, 2],
      [2, 3],
      [3, 1],
    ];
    for (const [request, [lead, partner]] of circle.entries()) {
      expect(await parties.get(partner)!.take('partner', lead, [claimOf(request)])).toEqual([true]);
    }
    // all read before any of them has committed: each sees one other request, and together they are three
    const led = circle.map(([lead, partner], request) =>
      parties.get(lead)!.take('lead', partner, [claimOf(request)]),
    );
    const signed = (await Promise.all(led)).flat().filter(Boolean);
    // in each other's way: what the partners counted they keep, and nothing is signed for it
    expect(signed).toHaveLength(0);
  });

  it('are used up to the last by requests that come one after the other, through any pair', async () => {
    const rows = createLimitRows();
    const parties = new Map(PARTY_NUMBERS.map((party) => [party, rows.openLimits(party, () => 0)]));
    const pairs: [PartyNumber, PartyNumber][] = [
      [1, 2],
      [2, 3],
      [3, 1],
    ];
    const answers: boolean[] = [];
    for (let request = 0; request < LIMIT + 2; request++) {
      const one = { request, pair: pairs[request % 3]!, replicas: [0, 0] as [number, number] };
      answers.push(await sign((party) => parties.get(party)!, { ...one, fate: 'signed' }));
    }
    expect(answers).toEqual([true, true, false, false]);
  });

  it('are used to the last by many at one time, whose claims interleave at all replicas of one pair', async () => {
    const crowd = fc.array(fc.tuple(fc.nat(1), fc.nat(1)), { minLength: LIMIT, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), crowd, async (scheduler, each) => {
        const attempts = each.map((replicas, request): Attempt => ({
          request,
          pair: [1, 2],
          replicas,
          fate: 'signed',
        }));
        // through three pairs it may be none of them: each is counted by a partner and finds no room at its lead
        expect((await runAll(scheduler, attempts, true)).size).toBe(LIMIT);
      }),
      { numRuns: howMany(200) },
    );
  });

  it('hold for an honest party by its own count, whatever its partner wrote or left out', async () => {
    const rows = createLimitRows();
    const honest = rows.openLimits(1, () => 0);
    const taken: boolean[] = [];
    for (let request = 0; request < 3 * LIMIT; request++) {
      const role = request % 2 === 0 ? 'lead' : 'partner';
      taken.push(...(await honest.take(role, 3, [claimOf(request)])));
      rows.forget();
    }
    expect(taken.filter(Boolean)).toHaveLength(LIMIT);
  });

  it('count nothing for what could not be written or confirmed, since nothing is signed for it', async () => {
    const rows = createLimitRows();
    const store = rows.storeOf(1);
    const isAway = () => Promise.reject(new Error('the database is away'));
    const onError = (error: unknown) => {
      throw error;
    };
    for (const broken of [{ claim: isAway }, { confirm: isAway }]) {
      const failing = { ...store, ...broken };
      const limits = createLimits(failing, () => 0, onError);
      const many = Array.from({ length: LIMIT }, (_, at) => claimOf(100 + at));
      await expect(limits.take('lead', 2, many)).rejects.toThrow('away');
      Object.assign(failing, store);
      expect(await limits.take('lead', 2, [claimOf(1)])).toEqual([true]);
      await limits.giveBack([claimOf(1)]);
    }
  });

  it('are in nobody’s way where a third party fills its rows', async () => {
    const rows = createLimitRows();
    const hostile = rows.storeOf(3);
    const many = Array.from({ length: LIMIT }, (_, at) => claimOf(100 + at));
    await hostile.claim(3, many, 0);
    const honest = [1, 2].map((party) => rows.openLimits(party as PartyNumber, () => 0));
    const pair = (party: PartyNumber) => honest[party - 1]!;
    const one: Attempt = { request: 0, pair: [1, 2], replicas: [0, 0], fate: 'signed' };
    expect(await sign(pair, one)).toBe(true);
    expect(await pair(1).take('lead', 3, [claimOf(1)])).toEqual([false]);
  });
});
