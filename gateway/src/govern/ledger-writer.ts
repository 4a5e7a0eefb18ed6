/** Appends evidence to the ledger and returns how two parties judged it. */
import type { Evidence } from '@countersign/core/evidence.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { type EntryRow } from '@countersign/vault/ledger/entry.js';
import { encodeEvidenceEntry } from '@countersign/vault/ledger/write-entry.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { LedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import { createGroupCommit } from '@countersign/runtime/records/group-commit.js';
import type { Journal } from './journal.js';
import { askStore } from '../stores/ask-store.js';
import { ApiError } from '../http/public-error.js';

/** After this long, waits only for the read that began after the entry was appended. */
const REACH_MS = 5_000;

export interface AppendedEntry {
  readonly seq: number;
  /** The request of the evidence. */
  readonly requestId: string;
}

export interface LedgerWriter {
  /**
   * Resolves to the entry's sequence number once this node's fold holds it. Throws 504 when it cannot be appended or
   * the ledger cannot be read.
   */
  append(evidence: Evidence): Promise<number>;
  /**
   * The outcome in this node's own fold, so that callers always read their own writes; undefined when the parties had
   * not judged it in time. Throws 504 if the ledger cannot be read, or if the entry is of another request: the database
   * alone vouches for its place.
   */
  judged(entry: AppendedEntry, timeoutMs: number): Promise<EntryOutcome | undefined>;
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
      const { seq } = await askStore(() => commits.add(evidence));
      try {
        await reach(follower, seq);
      } catch (cause) {
        throw new ApiError('gateway_timeout', 'the ledger cannot be read', {
          cause,
          retryAfterS: 1,
        });
      }
      return seq;
    },
    async judged({ seq, requestId }, timeoutMs) {
      await follower.waitUntil(() => journal.entries.length >= seq, timeoutMs);
      if (follower.fault !== undefined) {
        throw new ApiError('gateway_timeout', 'the ledger cannot be read', { retryAfterS: 1 });
      }
      const outcome = journal.entries[seq - 1];
      if (outcome !== undefined && outcome.requestId !== requestId) {
        const cause = new Error(`entry ${seq} is not of request ${requestId}`);
        throw new ApiError('gateway_timeout', 'the ledger cannot be read', { cause });
      }
      return outcome;
    },
  };
}

/** Returns after whichever read brings the entry: it need not wait for one that began later as well. */
async function reach(follower: LedgerFollower, seq: number): Promise<void> {
  const isThere = follower.waitUntil(({ seq: head }) => head >= seq, REACH_MS);
  const caughtUp = follower.catchUp();
  await Promise.race([caughtUp, isThere.then((is) => (is ? undefined : caughtUp))]);
}
