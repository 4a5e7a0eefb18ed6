import { freezesOfKey, freezesOfUser } from '@countersign/vault/state/freezes.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import type { IsFrozenIn } from './release-gate.js';
import type { Reviewed } from './review-item.js';

/** Tells whether a freeze stops any of the items that may be signed. It costs a few look-ups for each. */
export function anyFrozen(reviews: readonly Pick<Reviewed, 'verdict'>[]): IsFrozenIn {
  const ready = reviews.flatMap(({ verdict }) => (verdict.kind === 'ready' ? [verdict] : []));
  return (state) => ready.some((verdict) => isFrozen(state, verdict));
}

type ReadyVerdict = Extract<Reviewed['verdict'], { kind: 'ready' }>;

/** Looks for freezes of its key, in all scopes of the key, of its caller, and of those whose approval it needs. */
function isFrozen(
  state: VaultState,
  { signing: { key }, caller, approvals }: ReadyVerdict,
): boolean {
  if (freezesOfKey(state, state.keys.rows.get(key.id) ?? key).length > 0) return true;
  const users = [caller.id, ...approvals.map(({ userId }) => userId)];
  return users.some((id) => {
    const user = state.users.rows.get(id);
    return user === undefined || freezesOfUser(state, user).length > 0;
  });
}
