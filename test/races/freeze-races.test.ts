/** A slice of the races; `npm run test:slow` runs ten thousand. A failure names the seed that it comes back by. */
import { describe, expect, it } from '@jest/globals';
import { openDesk } from './desk-ledger.ts';
import { FORGET_AFTER_MS } from '../../signer/dist/signing/given-contributions.js';
import { howMany } from '../support/how-many.ts';
import { runFreezeRace } from './freeze-race.ts';
import { runFreezeRaces } from './race-many.ts';
import type { Weaken } from './simulated-party.ts';
import { withoutClearing, withoutGate, withoutVouching } from './weakened-replicas.ts';

const desk = openDesk();

describe('a freeze against work in flight', () => {
  it.each([
    ['', {}, howMany(24, 8)],
    [' while Redis stops', { stopsRedis: true }, howMany(12, 8)],
    [' while the store hides the freeze from one party', { hidesFreeze: true }, howMany(12, 8)],
    [' while all replicas but primary replicas are dull', { hasDullReplicas: true }, howMany(8, 8)],
  ])(
    'is answered, and nothing is signed from then on%s',
    async (_where, options, count) => {
      const { failures, signedBefore } = await runFreezeRaces(desk, options, { first: 1, count });
      expect(failures).toEqual([]);
      expect(signedBefore).toBeGreaterThan(count);
    },
    120_000,
  );
});

it('a primary replica whose database is slow hears what its replica has cleared, after a lead that died', async () => {
  const { status, answeredAfter, violations } = await runFreezeRace(desk, { seed: 1545 });
  expect({ status, violations }).toEqual({ status: 200, violations: [] });
  // as long as a contribution to a lead that died may be taken, and not as long again
  expect(answeredAfter).toBeLessThan(FORGET_AFTER_MS + 1_000);
}, 120_000);

it('a freeze that only one party is left to judge is told to wait, and nothing is signed from then on', async () => {
  const options = { losesPrimaries: true };
  for (let seed = 1; seed <= 3; seed += 1) {
    const { status, violations } = await runFreezeRace(desk, { ...options, seed });
    expect({ seed, status, violations }).toEqual({ seed, status: 202, violations: [] });
  }
}, 120_000);

describe('a safeguard that is missing', () => {
  it.each<[string, Weaken]>([
    ['what is under way in a replica', withoutGate],
    ['that all replicas are cleared before the primary replica says so', withoutClearing],
    ['that a replica lives by its primary replica', withoutVouching],
  ])('is found out: %s', async (_what, weaken) => {
    const dull = { weaken, hasDullReplicas: true };
    let late = 0;
    // of sixty-four races as many as it takes: which of them finds it out depends on what the parties do in between
    for (let first = 1; first <= 64 && late < 2; first += 1) {
      const { failures } = await runFreezeRaces(desk, dull, { first, count: 1 });
      late += failures.filter((failure) => failure.includes('late')).length;
    }
    expect(late).toBeGreaterThan(1);
  });
});
