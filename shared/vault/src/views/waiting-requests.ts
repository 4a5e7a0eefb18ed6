import type { VaultState } from '../state/state.js';

/** How many requests wait for approvals or a delay: neither those that have ended nor released signatures. */
export function countWaitingRequests({ pendingRequests }: VaultState): number {
  const { rows, indexes } = pendingRequests;
  // counted one by one: a set that is mapped to statuses keeps each status once
  return indexes.open.count((id) => rows.get(id)?.status !== 'released');
}
