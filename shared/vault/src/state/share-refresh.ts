/** New shares for all keys: which keys still lack them. */
import { Map, Set } from 'immutable';
import type { Key, ShareRefresh, VaultState } from './state.js';

/** Keys that sign, or may sign again. */
export function hasShares({ status }: Pick<Key, 'status'>): boolean {
  return status === 'active' || status === 'disabled';
}

/** From now on every key that there is waits for new shares. What an unfinished refresh had left is left by this one. */
export function beginRefresh(
  state: VaultState,
  { dealers, successor }: Pick<ShareRefresh, 'dealers' | 'successor'>,
): VaultState {
  const ids = state.keys.rows
    .valueSeq()
    .filter(hasShares)
    .map(({ id }) => id);
  return {
    ...state,
    refresh: { number: (state.refresh?.number ?? 0) + 1, dealers, successor },
    keysToRefresh: Set(ids),
    refreshedBy: Map(),
  };
}

/** Whether the key waits for new shares. */
export function waitsForShares({ keys, keysToRefresh }: VaultState, keyId: string): boolean {
  const key = keys.rows.get(keyId);
  return key !== undefined && hasShares(key) && keysToRefresh?.has(keyId) === true;
}

export function isRefreshing(state: VaultState): boolean {
  return state.keysToRefresh?.some((id) => waitsForShares(state, id)) === true;
}
