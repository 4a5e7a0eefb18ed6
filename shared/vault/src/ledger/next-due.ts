import type { VaultState } from '../state/state.js';

/** When the next of those that wait for their time comes due, ms; undefined where none does. */
export function nextDueAt(state: VaultState): number | undefined {
  const { rows, indexes } = state.heldRequests;
  if (indexes.delayed.isEmpty()) return undefined;
  return Math.min(...indexes.delayed.map((id) => rows.get(id)?.dueAt ?? Infinity));
}
