import Sequencer from '@jest/test-sequencer';

/**
 * Seconds of files that take longest, about, on two cores; of processor time with `--fast` where they need no server. A
 * clean clone remembers no run, and a long file begun at the end keeps one worker busy while the other has nothing left to
 * do. What is not named takes less.
 */
const SECONDS = {
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
  // of those that need no server
  'signer/src/threads/thread-pools.test.ts': 9,
  'test/ledger/planted-throws.test.ts': 8,
  'test/ledger/fuzzed-entries.test.ts': 9,
  'test/ledger/saved-fold.test.ts': 8,
  'signer/src/ceremonies/perform-ceremony.test.ts': 7,
  'test/races/freeze-races.test.ts': 6,
  'signer/src/secrets/rsa-generation/lying-generation.test.ts': 5,
  'test/ledger/fold-snapshots.test.ts': 5,
  'test/model/countersigned-model.test.ts': 4,
  'test/model/dropped-rules.test.ts': 4,
  'signer/src/secrets/signing-thread/import-part.test.ts': 4,
  'signer/src/secrets/signing-thread/imported-items.test.ts': 4,
  'test/ledger/chain.test.ts': 3,
  'test/venues/sweep.test.ts': 3,
  'signer/src/threads/generation-worker.test.ts': 3,
  'gateway/src/pages/openapi-document.test.ts': 3,
  'shared/chains/src/solana-transaction.test.ts': 3,
  'test/ledger/recorded-ledger.test.ts': 3,
  'client/src/keys/read-key-file.test.ts': 3,
  'shared/vault/src/policy/admin-policy.test.ts': 3,
  'shared/chains/src/addresses.test.ts': 3,
  'test/ledger/state-indexes.test.ts': 2,
  'client/src/keys/key-file-errors.test.ts': 2,
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
