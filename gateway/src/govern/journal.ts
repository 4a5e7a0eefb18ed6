/**
 * Keeps the outcome of every ledger entry in memory, for request records and the ledger's part of the audit log. It
 * follows from the ledger, so losing it loses nothing.
 */
import type { OutcomeMemory } from '@countersign/runtime/ledger/fold-snapshots.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { keepOutcomes, readOutcomes } from './kept-outcomes.js';

export interface Journal extends OutcomeMemory {
  readonly entries: readonly EntryOutcome[];
  /** The first accepted entry of this request, else the last refused one. */
  findByRequestId(requestId: string): EntryOutcome | undefined;
  /** The entry that asked for this key; the key's id comes from that entry's hash. */
  findByKeyId(keyId: string): EntryOutcome | undefined;
  append(outcomes: readonly EntryOutcome[]): void;
}

/** An empty journal, which the fold fills. */
export function createJournal(): Journal {
  const entries: EntryOutcome[] = [];
  const byRequestId = new Map<string, EntryOutcome>();
  const byKeyId = new Map<string, EntryOutcome>();

  /** The first entry about a key made it. */
  function noteKeys(outcome: EntryOutcome): void {
    for (const { requestId, subject } of outcome.decided ?? []) {
      const asked = byRequestId.get(requestId);
      for (const id of subject?.keyIds ?? []) {
        if (asked !== undefined && !byKeyId.has(id)) byKeyId.set(id, asked);
      }
    }
    for (const id of outcome.subject?.keyIds ?? []) if (!byKeyId.has(id)) byKeyId.set(id, outcome);
  }

  function append(outcomes: Iterable<EntryOutcome>): void {
    for (const outcome of outcomes) {
      entries.push(outcome);
      noteKeys(outcome);
      if (outcome.requestId === undefined) continue;
      const known = byRequestId.get(outcome.requestId);
      if (known !== undefined && known.refusal === undefined) continue;
      byRequestId.set(outcome.requestId, outcome);
    }
  }

  return {
    name: 'journal',
    entries,
    findByRequestId: (requestId) => byRequestId.get(requestId),
    findByKeyId: (keyId) => byKeyId.get(keyId),
    append,
    save: () => keepOutcomes(entries, entries.length),
    load(saved) {
      const outcomes = [...readOutcomes(saved)];
      return () => append(outcomes);
    },
  };
}
