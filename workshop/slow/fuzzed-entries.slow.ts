/**
 * The fuzz of the ledger for as long as somebody has: FUZZ_ENTRIES entries (or FUZZ_MINUTES) from the ledger FIRST_SEED
 * on. A finding names the seed of its ledger, and of how many rows that was.
 */
import { expect, it } from '@jest/globals';
import { fuzzLedger, newReport, unreached } from '../../test/support/fuzz-ledger.ts';

const ENTRIES = Number(process.env['FUZZ_ENTRIES'] ?? 10_000_000);
const MINUTES = Number(process.env['FUZZ_MINUTES'] ?? 24 * 60);
const FIRST_SEED = Number(process.env['FIRST_SEED'] ?? 1_000);
/** By the seed: most ledgers are short, so that many beginnings are seen, and some grow. */
const SIZES = [300, 800, 1_500, 1_500, 3_000, 1_500, 800, 6_000];

const say = (line: string) => void process.stderr.write(`${new Date().toISOString()} ${line}\n`);

it(
  `${ENTRIES} entries at random`,
  () => {
    const report = newReport();
    const began = performance.now();
    const minutes = () => (performance.now() - began) / 60_000;
    const tell = () => {
      const { entries, ledgers, findings, resumed, slowestMs, slowest, reasons } = report;
      const rate = (entries / minutes() / 60).toFixed(0);
      const slow = `slowest ${slowestMs.toFixed(0)} ms ${JSON.stringify(slowest)}`;
      say(
        `${entries} entries of ${ledgers} ledgers, ${rate}/s, ${resumed} resumed, ${slow}, ${reasons.size} reasons, ${findings.length} findings`,
      );
    };
    let told = 0;
    for (let seed = FIRST_SEED; report.entries < ENTRIES && minutes() < MINUTES; seed += 1) {
      fuzzLedger(seed, SIZES[seed % SIZES.length]!, report);
      if (report.findings.length > 0 || minutes() < told + 1) continue;
      told = minutes();
      tell();
    }
    tell();
    say(
      [...report.outcomes]
        .map(([name, count]) => `${name} ${count}`)
        .toSorted()
        .join(', '),
    );
    for (const { seed, seq, what } of report.findings.slice(0, 20))
      say(`seed ${seed}, row ${seq}: ${what}`);
    expect(report.findings.slice(0, 3)).toEqual([]);
    expect(unreached(report)).toEqual([]);
  },
  48 * 3_600_000,
);
