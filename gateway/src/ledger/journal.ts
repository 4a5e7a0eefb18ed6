/**
 * What every ledger entry came to, in memory: the source of request records and of the ledger's part
 * of the audit log. It follows from the ledger, so losing it loses nothing.
 */
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';

export interface Journal {
  readonly entries: readonly EntryOutcome[];
  /** The first accepted entry of this request, else the last refused one. */
  findByRequestId(requestId: string): EntryOutcome | undefined;
  append(outcomes: readonly EntryOutcome[]): void;
}

/** An empty one, for the fold to fill. */
export function createJournal(): Journal {
  const entries: EntryOutcome[] = [];
  const byRequestId = new Map<string, EntryOutcome>();
  return {
    entries,
    findByRequestId: (requestId) => byRequestId.get(requestId),
    append(outcomes) {
      for (const outcome of outcomes) {
        entries.push(outcome);
        if (outcome.requestId === undefined) continue;
        const known = byRequestId.get(outcome.requestId);
        if (known !== undefined && known.refusal === undefined) continue;
        byRequestId.set(outcome.requestId, outcome);
      }
    },
  };
}
