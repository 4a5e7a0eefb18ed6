import type { EvidenceKeys } from '@countersign/core/evidence-key.js';
import {
  openLedgerFollower,
  type LedgerFollower,
} from '@countersign/runtime/ledger/ledger-follower.js';
import { createLedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { createFold, type Fold } from '@countersign/vault/ledger/fold.js';
import type pg from 'pg';
import { createJournal, type Journal } from './journal.js';
import { createLedgerWriter, type LedgerWriter } from './ledger-writer.js';

export interface LedgerOptions {
  readonly pool: pg.Pool;
  /** For the connection that LISTENs for new entries. */
  readonly connectionString: string;
  readonly pollMs: number;
  readonly keys: EvidenceKeys;
  readonly logger: Logger;
  readonly now: () => number;
}

/** The ledger as a gateway works with it. */
export interface GatewayLedger {
  /** Holds the state, and is to be stopped. */
  readonly follower: LedgerFollower;
  readonly journal: Journal;
  readonly writer: LedgerWriter;
}

/** Resolves once the whole ledger has been folded. Throws when it is broken or cannot be read. */
export async function openLedger(options: LedgerOptions): Promise<GatewayLedger> {
  const { pool, connectionString, pollMs, keys, logger, now } = options;
  const journal = createJournal();
  const store = createLedgerStore(pool);
  const follower = await openLedgerFollower({
    store,
    fold: recordingFold(createFold(keys), journal),
    logger,
    connectionString,
    now,
    pollMs,
    watchClock: false,
  });
  return { follower, journal, writer: createLedgerWriter({ store, follower, journal, keys, now }) };
}

/** What the fold says of each entry is in the journal by the time the state shows it. */
function recordingFold(fold: Fold, journal: Journal): Fold {
  return {
    get state() {
      return fold.state;
    },
    advance(rows) {
      const outcomes = fold.advance(rows);
      journal.append(outcomes);
      return outcomes;
    },
  };
}
