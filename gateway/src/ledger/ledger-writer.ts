/** Appends evidence to the ledger and reads back what the fold made of it. */
import { ApiError } from '@countersign/core/errors.js';
import type { Evidence } from '@countersign/core/evidence.js';
import type { EvidenceKeys } from '@countersign/core/evidence-key.js';
import type { EntryOutcome } from '@countersign/vault/ledger/apply-entry.js';
import { encodeEvidenceEntry, type EntryRow } from '@countersign/vault/ledger/entry.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { LedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import { createGroupCommit } from '@countersign/runtime/records/group-commit.js';
import type { Journal } from './journal.js';
import { askStore } from '../stores/ask-store.js';

const FOLD_WAIT_MS = 5_000;

export interface LedgerWriter {
  /** The outcome in this node's own fold, so that a caller always reads its own write. */
  append(evidence: Evidence): Promise<EntryOutcome>;
}

export interface LedgerWriterDeps {
  readonly store: LedgerStore;
  readonly follower: LedgerFollower;
  readonly journal: Journal;
  readonly keys: EvidenceKeys;
  readonly now: () => number;
}

/** Evidence that comes at the same time is appended in one statement. */
export function createLedgerWriter(deps: LedgerWriterDeps): LedgerWriter {
  const { store, follower, journal, keys, now } = deps;
  const commits = createGroupCommit<Evidence, EntryRow>((group) =>
    store.append(group.map((evidence) => encodeEvidenceEntry(now(), evidence, keys))),
  );
  return {
    async append(evidence) {
      const row = await askStore(() => commits.add(evidence));
      try {
        await follower.catchUp();
      } catch (cause) {
        throw new ApiError('gateway_timeout', 'the ledger cannot be read', {
          cause,
          retryAfterS: 1,
        });
      }
      const folded = await follower.waitUntil((state) => state.seq >= row.seq, FOLD_WAIT_MS);
      const outcome = journal.entries[row.seq - 1];
      if (!folded || outcome === undefined) {
        throw new ApiError('gateway_timeout', 'the ledger cannot be read', { retryAfterS: 1 });
      }
      return outcome;
    },
  };
}
