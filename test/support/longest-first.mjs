import Sequencer from '@jest/test-sequencer';

/**
 * Seconds of files that take longest, about, on two cores. Jest knows them from its last run, which a clean clone has not
 * had. There it goes by size, and a small file that takes two minutes, begun last, keeps one worker busy alone.
 */
export const SECONDS = {
  'test/keys/rsa-stock.test.ts': 125,
  'test/keys/secret-sweep.test.ts': 120,
  'test/audit-export.test.ts': 115,
  'test/keys/ceremony-outage.test.ts': 105,
  'infra/dev/src/embedded/embedded.servers.test.ts': 100,
  'test/crash.test.ts': 95,
  'test/store-outage.test.ts': 90,
  'test/forged-ledger.test.ts': 85,
  'test/python/market-makers.servers.test.ts': 80,
  'test/governance/two-logs.test.ts': 80,
  'test/countersign-command.test.ts': 80,
  'test/full-disk.test.ts': 75,
  'test/party-outage.test.ts': 75,
  'test/poisoned-entries.test.ts': 70,
  'test/primary-snapshot.test.ts': 70,
  'test/governance/governance-bounds.test.ts': 70,
  'test/keys/ceremony-give-up.test.ts': 65,
  'test/races/live-freeze.test.ts': 65,
  'test/limits.test.ts': 60,
  'test/governance/pin-before-statement.test.ts': 60,
  'test/stalled-database.test.ts': 60,
  'test/unmigrated-database.test.ts': 55,
  'test/ledger-bounds.test.ts': 55,
  'test/npm-start.test.ts': 55,
  'test/flooding-party.test.ts': 50,
  'test/stolen-api-key.test.ts': 50,
  'test/replays.test.ts': 50,
  'test/admin-policies.test.ts': 45,
  'test/bots.test.ts': 45,
  'test/http-traps.test.ts': 45,
  'test/forgery.test.ts': 45,
  'test/governance/absent-parties.test.ts': 40,
  'test/console.test.ts': 40,
  'test/queue-board.test.ts': 40,
  'test/governance/withheld-and-misdated.test.ts': 40,
  'test/governance/proof-and-commit.test.ts': 40,
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
