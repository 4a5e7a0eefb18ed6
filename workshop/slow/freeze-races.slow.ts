/**
 * Ten thousand races between a freeze and work in flight, and a thousand of each harder kind. `RACES` sets how many,
 * `FIRST_SEED` where to begin: a failure names its seed.
 */
import { expect, test } from '@jest/globals';
import { openDesk } from '../../test/races/desk-ledger.ts';
import { runFreezeRaces, timesOf } from '../../test/races/race-many.ts';

const COUNT = Number(process.env['RACES'] ?? 10_000);
const FIRST = Number(process.env['FIRST_SEED'] ?? 1);
const TIMEOUT_MS = 4 * 3_600_000;

test.each([
  ['', {}, COUNT],
  [' while Redis stops', { stopsRedis: true }, Math.ceil(COUNT / 10)],
  [
    ' while the store hides the freeze from one party',
    { hidesFreeze: true },
    Math.ceil(COUNT / 10),
  ],
  [
    ' while all replicas but primary replicas are dull',
    { hasDullReplicas: true },
    Math.ceil(COUNT / 10),
  ],
])(
  'nothing is signed after a freeze was answered%s',
  async (_where, options, count) => {
    const races = await runFreezeRaces(openDesk(), options, { first: FIRST, count });
    console.log(`${count} races, 200 after: ${timesOf(races)}`);
    expect(races.failures).toEqual([]);
  },
  TIMEOUT_MS,
);
