import Sequencer from '@jest/test-sequencer';

/**
 * Seconds of files that take longest, about, on two cores. Jest knows them from its last run, which a clean clone has not
 * had. There it goes by size, and a small file that takes two minutes, begun last, keeps one worker busy alone.
 */
export const SECONDS = {
  'test/console.test.ts': 375,
  'test/npm-start.test.ts': 215,
  'test/keys/rsa-stock.test.ts': 140,
  'test/audit-export.test.ts': 105,
  'test/keys/secret-sweep.test.ts': 90,
  'test/forged-ledger.test.ts': 80,
  'test/governance/two-logs.test.ts': 80,
  'test/races/live-freeze.test.ts': 80,
  'test/crash.test.ts': 75,
  'test/queue-board.test.ts': 70,
  'test/admin-policies.test.ts': 65,
  'test/limits.test.ts': 65,
  'test/redis-faults.test.ts': 65,
  'test/http-traps.test.ts': 60,
  'test/poisoned-entries.test.ts': 60,
  'test/ledger-bounds.test.ts': 55,
  'test/stalled-database.test.ts': 55,
  'test/bots.test.ts': 50,
  'test/governance/withheld-and-misdated.test.ts': 50,
  'test/hostile-batches.test.ts': 50,
  'test/signing-probe.test.ts': 50,
  'test/full-disk.test.ts': 45,
  'test/one-trace.test.ts': 45,
  'infra/dev/src/embedded/embedded.servers.test.ts': 40,
  'test/forged-results.test.ts': 40,
  'test/freeze-settings-audit.test.ts': 40,
  'test/governance/pin-before-statement.test.ts': 40,
  'test/stolen-api-key.test.ts': 40,
};

/** Tests with servers before those without, the longest of each first. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const isUnit = ({ context }) => context.config.displayName?.name !== 'servers';
    const seconds = ({ path, context }) =>
      SECONDS[path.slice(context.config.rootDir.length + 1)] ?? 0;
    return super.sort(tests).toSorted((a, b) => isUnit(a) - isUnit(b) || seconds(b) - seconds(a));
  }
}
