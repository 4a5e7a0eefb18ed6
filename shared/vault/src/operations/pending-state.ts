/** Rows of requests that wait, as operations and the fold change them. */
import type { PendingRequest, VaultState } from '../state/state.js';
import { replaceRow } from '../state/table.js';

/** Those that are not decided, in no particular order. There are few: their number is bounded. */
export function openRequests({ pendingRequests }: VaultState): PendingRequest[] {
  const { rows, indexes } = pendingRequests;
  return [...indexes.open].flatMap((id) => rows.get(id) ?? []);
}

/** The state in which the request has ended so. What would be needed to do it is let go of. */
export function closed(
  state: VaultState,
  row: PendingRequest,
  end: Pick<PendingRequest, 'status' | 'endedAt' | 'endedBy'> & Partial<PendingRequest>,
): VaultState {
  const ended = { ...row, ...end, call: null };
  return { ...state, pendingRequests: replaceRow(state.pendingRequests, ended) };
}
