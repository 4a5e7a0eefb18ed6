/** Helpers for rows of waiting requests, for operations and the fold. */
import type { PendingRequest, VaultState } from '../state/state.js';
import { replaceRow } from '../state/table.js';

/** Undecided requests, in no particular order. Their number is bounded, and small. */
export function openRequests({ pendingRequests }: VaultState): PendingRequest[] {
  const { rows, indexes } = pendingRequests;
  return [...indexes.open].flatMap((id) => rows.get(id) ?? []);
}

/** Ends the request so, and drops what would be needed to carry it out. */
export function closed(
  state: VaultState,
  row: PendingRequest,
  end: Pick<PendingRequest, 'status' | 'endedAt' | 'endedBy'> & Partial<PendingRequest>,
): VaultState {
  const ended = { ...row, ...end, call: null };
  return { ...state, pendingRequests: replaceRow(state.pendingRequests, ended) };
}
