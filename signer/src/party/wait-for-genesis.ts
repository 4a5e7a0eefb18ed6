import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { Logger } from '@countersign/runtime/process/logger.js';

const GENESIS_POLL_MS = 500;

/** Resolves once the ledger has its first entry, and says in the log that it waits for it. */
export async function waitForGenesis(
  follower: Pick<LedgerFollower, 'waitUntil'>,
  logger: Logger,
): Promise<void> {
  while (!(await follower.waitUntil(({ genesisHash }) => genesisHash !== '', GENESIS_POLL_MS))) {
    logger.info({ event: 'waiting_for_genesis' }, 'waiting for the genesis');
  }
}
