/** What operations that make or change a key have in common. */
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import type { Key, VaultState } from '../state/state.js';
import { insertRow, replaceRow } from '../state/table.js';
import { findRow, noSuchResource } from './lookups.js';
import type { Applied, Subject } from './ledger-operation.js';

/** Adds a key, which is work for the parties until they have attested it. */
export function applyNewKey(state: VaultState, key: Key): Applied {
  return {
    state: { ...state, keys: insertRow(state.keys, key) },
    subject: keySubject(key),
  };
}

/** Writes a changed key; the caller raises its version. */
export function applyChangedKey(state: VaultState, key: Key): Applied {
  return { state: { ...state, keys: replaceRow(state.keys, key) }, subject: keySubject(key) };
}

function keySubject(key: Key): Subject {
  return { resourceType: 'key', resourceIds: [key.id], keyIds: [key.id] };
}

/** A key that callers can see: it was completed, whatever became of it since. */
export function findVisibleKey(state: VaultState, id: string | undefined): Key | Refusal {
  const row = findRow(state.keys, id);
  if (isRefusal(row)) return row;
  return isVisibleKey(row) ? row : noSuchResource(id);
}

/** False for keys on their way and failed ones, which are seen in their request's record alone. */
export function isVisibleKey({ status }: Key): boolean {
  return status === 'active' || status === 'disabled' || status === 'destroyed';
}
