import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { FoldSnapshots } from '@countersign/runtime/ledger/fold-snapshots.js';
import {
  openLedgerFollower,
  type FollowerOptions,
  type LedgerFollower,
} from '@countersign/runtime/ledger/ledger-follower.js';
import { createLedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import { findRowChanges } from '@countersign/vault/audit/row-changes.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import type pg from 'pg';
import { createJournal, type Journal } from './journal.js';
import { createLedgerWriter, type LedgerWriter } from './ledger-writer.js';

export interface LedgerOptions extends Pick<
  FollowerOptions,
  'connectionString' | 'pollMs' | 'logger' | 'alarms' | 'now' | 'genesisHash' | 'pinFile'
> {
  readonly pool: pg.Pool;
  readonly keys: EvidenceKeys;
  /** The gateway's snapshots of its fold. */
  readonly snapshots: FoldSnapshots;
}

/** The ledger as a gateway uses it. */
export interface GatewayLedger {
  /** Holds the state; its owner must stop it. */
  readonly follower: LedgerFollower;
  readonly journal: Journal;
  readonly writer: LedgerWriter;
}

/**
 * Resolves once the ledger has been folded to its head. Throws when it cannot be read, or is not the one that this node
 * knows.
 */
export async function openLedger(options: LedgerOptions): Promise<GatewayLedger> {
  const { pool, keys, now, snapshots } = options;
  const journal = createJournal();
  const store = createLedgerStore(pool);
  const follower = await openLedgerFollower({
    ...options,
    store,
    fold: createFold({ keys, findChanges: findRowChanges }),
    // an entry's outcome is in the journal by the time the state shows it
    onOutcomes: (outcomes) => journal.append(outcomes),
    kept: { snapshots, memory: journal },
  });
  return { follower, journal, writer: createLedgerWriter({ store, follower, journal, keys, now }) };
}
