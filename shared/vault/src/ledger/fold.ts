/** Folds ledger rows, checking the chain as it goes. Every node has its own. */
import { asBuffer, toHex } from '@countersign/core/bytes.js';
import type { EvidenceKeys } from '@countersign/core/evidence-key.js';
import { applyEntry, type EntryOutcome } from './apply-entry.js';
import { entryHash, type EntryRow } from './entry.js';
import { EMPTY_STATE, type VaultState } from '../state/state.js';

/** The log is not the one that was folded so far: somebody rewrote it, or it was damaged. */
export class BrokenChainError extends Error {}

export interface Fold {
  readonly state: VaultState;
  /** Throws BrokenChainError, leaving the state as it was before the offending row. */
  advance(rows: readonly EntryRow[]): EntryOutcome[];
}

export function createFold(keys: EvidenceKeys, from: VaultState = EMPTY_STATE): Fold {
  let state = from;
  return {
    get state() {
      return state;
    },
    advance(rows) {
      const outcomes: EntryOutcome[] = [];
      for (const row of rows) {
        checkLink(state, row);
        const step = applyEntry(state, row, keys);
        state = step.state;
        outcomes.push(step.outcome);
      }
      return outcomes;
    },
  };
}

function checkLink(state: VaultState, row: EntryRow): void {
  if (row.seq !== state.seq + 1) {
    throw new BrokenChainError(`entry ${row.seq} follows entry ${state.seq}`);
  }
  if (toHex(row.prevHash) !== state.headHash) {
    throw new BrokenChainError(`entry ${row.seq} does not name the hash of its predecessor`);
  }
  if (!entryHash(row.seq, row.prevHash, row.body).equals(asBuffer(row.hash))) {
    throw new BrokenChainError(`entry ${row.seq} does not have its hash`);
  }
}
