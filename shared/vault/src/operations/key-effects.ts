/** What operations that make or change a key have in common. */
import { keyView } from '../views/key-view.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type { Key, VaultState } from '../state/state.js';
import { insertRow, replaceRow } from '../state/table.js';
import { findRow, noSuchResource } from './lookups.js';
import type { AnswerContext, Applied, Subject } from './ledger-operation.js';

/** The key is work for the parties until they have attested it. */
export function applyNewKey(state: VaultState, key: Key): Applied {
  return {
    state: { ...state, keys: insertRow(state.keys, key) },
    subject: keySubject(key),
  };
}

/** Writes a key that is there already; the caller raises its version. */
export function applyChangedKey(state: VaultState, key: Key): Applied {
  return { state: { ...state, keys: replaceRow(state.keys, key) }, subject: keySubject(key) };
}

function keySubject(key: Key): Subject {
  return { resourceType: 'key', resourceIds: [key.id], keyIds: [key.id] };
}

/** Whether the parties have still to attest the key that the operation made. */
export function isKeyPending(state: VaultState, { keyIds }: Subject): boolean {
  return state.keys.indexes.pending.has(keyIds?.[0] ?? '');
}

/** Why a key that was asked for will never be, once a party has said so. */
export function findKeyFailure(state: VaultState, { keyIds }: Subject): Refusal | undefined {
  const key = state.keys.rows.get(keyIds?.[0] ?? '');
  return key?.failure == null ? undefined : refuse('invalid_inputs', key.failure);
}

/** The key as the API shows it, or 404. */
export function answerKey(state: VaultState, subject: Subject, { catalogues }: AnswerContext) {
  const row = findRow(state.keys, subject.resourceIds[0]);
  return isRefusal(row) ? row : keyView(state, row, catalogues);
}

/** A key that callers can see: complete, whatever became of it since. */
export function findVisibleKey(state: VaultState, id: string | undefined): Key | Refusal {
  const row = findRow(state.keys, id);
  if (isRefusal(row)) return row;
  return isVisibleKey(row) ? row : noSuchResource(id);
}

/** Neither on its way nor failed: those can be seen in their request's record alone. */
export function isVisibleKey({ status }: Key): boolean {
  return status === 'active' || status === 'disabled' || status === 'destroyed';
}
