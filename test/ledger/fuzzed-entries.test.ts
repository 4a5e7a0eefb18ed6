/**
 * A slice of the fuzz of the ledger, the same in every run; `npm run test:slow -- workshop/slow/fuzzed-entries.slow.ts` is as
 * much of it as somebody has time for.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { fuzzLedger, newReport, unreached } from '../support/fuzz-ledger.ts';
import { howMany } from '../support/how-many.ts';

const LEDGERS = 8;
/** So many at most, where some operation was not got to: what operations take may change, and with it what a seed makes. */
const MOST_LEDGERS = 60;
const ROWS = 1_500;

describe('entries at random, of every operation', () => {
  const report = newReport();
  const ledgers = howMany(LEDGERS);
  beforeAll(() => {
    const isEnough = (made: number) =>
      made >= ledgers &&
      (ledgers < LEDGERS || made >= MOST_LEDGERS || unreached(report).length === 0);
    for (let made = 0; !isEnough(made); made += 1) fuzzLedger(made + 1, ROWS, report);
  }, 600_000);

  it('none throws, and two folds come to one state', () => {
    expect(report.findings).toEqual([]);
    expect(report.entries).toBeGreaterThanOrEqual(ledgers * ROWS);
    expect(report.resumed).toBeGreaterThanOrEqual(ledgers);
  });

  it('each operation is done and refused, and what waits comes due', () => {
    // a part of the slice need not get everywhere
    if (ledgers < LEDGERS) return;
    expect(unreached(report)).toEqual([]);
    const late = [...report.outcomes.keys()].filter((name) => name.endsWith('late'));
    expect(late.length).toBeGreaterThan(10);
  });
});
