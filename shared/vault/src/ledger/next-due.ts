import { RELEASE_LIFE_MS } from '../policy/signing-approvals.js';
import type { PendingRequest, VaultState } from '../state/state.js';

/** When the next of the waiting requests comes due or expires, ms; undefined for none. */
export function nextDueAt(state: VaultState): number | undefined {
  const { rows, indexes } = state.pendingRequests;
  if (indexes.open.isEmpty()) return undefined;
  return Math.min(...indexes.open.map((id) => dueAtOf(rows.get(id))));
}

/** When a delayed change takes effect, an approval comes too late, or a signature may no longer be given. */
function dueAtOf(row: PendingRequest | undefined): number {
  if (row === undefined) return Infinity;
  if (row.releasedAt !== undefined) return row.releasedAt + RELEASE_LIFE_MS;
  return row.status === 'waiting' ? row.expiresAt : (row.dueAt ?? Infinity);
}
