/**
 * Deletes shares that newer ones have taken the place of. A batch may still rest on a head at which the old ones
 * counted, so a share goes only when it is found so twice, a sweep apart.
 */
import { waitsForShares } from '@countersign/vault/state/share-refresh.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import type { KeyOfSession } from '../records/share-cache.js';
import type { SupersededStore } from '../records/superseded-store.js';

/** Longer than any batch lives. */
export const SUPERSEDED_SWEEP_MS = 60_000;

export interface SupersededSharesDeps {
  readonly store: SupersededStore;
  state(): VaultState;
}

/** Returns the sweep, to be called each `SUPERSEDED_SWEEP_MS`. */
export function createSupersededSweep({ store, state }: SupersededSharesDeps): () => Promise<void> {
  let before = new Set<string>();
  const nameOf = ({ keyId, session }: KeyOfSession) => `${keyId} ${session}`;
  return async () => {
    const now = state();
    const found = (await store.list()).filter((row) => isSuperseded(now, row));
    const due = found.filter((row) => before.has(nameOf(row)));
    before = new Set(found.map(nameOf));
    if (due.length > 0) await store.delete(due);
  };
}

/** A key whose shares are being made anew may have several runs, each of which could still become the one. */
function isSuperseded(state: VaultState, { keyId, session }: KeyOfSession): boolean {
  const key = state.keys.rows.get(keyId);
  const isInUse = key?.status === 'active' || key?.status === 'disabled';
  return isInUse && key.session !== session && !waitsForShares(state, keyId);
}
