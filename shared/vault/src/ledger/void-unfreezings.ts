import type { Subject } from '../operations/ledger-operation.js';
import { closed, openRequests } from '../operations/pending-state.js';
import type { PendingRequest, VaultState } from '../state/state.js';

/**
 * A freeze ends every waiting unfreezing of what it freezes, even if that is frozen already. Whoever froze it was told
 * that it is frozen, and an unfreezing asked for earlier must not undo that. `at`: ms.
 */
export function voidUnfreezings(state: VaultState, frozen: Subject, at: number): VaultState {
  const end = { status: 'failed', endedAt: at, endedBy: null, ...FROZEN_AGAIN } as const;
  const undone = openRequests(state).filter((row) => unfreezes(row, frozen));
  return undone.reduce((now, row) => closed(now, row, end), state);
}

const FROZEN_AGAIN = {
  reason: 'it was frozen after this was asked for',
  failure: 'resource_conflict',
} as const;

function unfreezes(
  { unfreezes: asked }: PendingRequest,
  { resourceType, resourceIds }: Subject,
): boolean {
  return (
    asked?.resourceType === resourceType && asked.resourceIds.some((id) => resourceIds.includes(id))
  );
}
