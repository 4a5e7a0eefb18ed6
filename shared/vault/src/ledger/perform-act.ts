/** Performs one change of the vault by a known user: checks whether they may, and applies it. */
import { deny } from '@countersign/core/fold-denials.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import { deriveId } from '@countersign/core/entry-hash.js';
import { parseInput, type Input } from '../operations/operation-input.js';
import { authorizeAdmin, findLostRight, isAllowedAny } from '../policy/admin-policy.js';
import type { VaultState } from '../state/state.js';
import type { Act, Performed } from './judging.js';

/** Performs the act as if nothing had to come first. A request of somebody without any right to it is not read. */
export function performAct(state: VaultState, act: Act): Performed | Refusal {
  const { operation, actor, at } = act;
  if (operation.action !== 'self' && !isAllowedAny(state, actor, operation.action)) {
    const refusal = authorizeAdmin(state, actor, operation.action);
    if (isRefusal(refusal)) return refusal;
  }
  const input = parseInput(operation, act);
  if (isRefusal(input)) return input;
  if (state.systemFreeze !== null && operation.duringSystemFreeze !== true) {
    return deny('frozen', 'system');
  }
  const permission = authorize(state, act, input);
  if (isRefusal(permission)) return permission;
  const { refusal, ...authorized } = permission;
  const applied = operation.apply(state, input, {
    at,
    actor,
    entryHash: act.entryHash,
    secret: (label) => act.secret(label),
    newId: (name) => deriveId(act.entryHash, name),
  });
  if (isRefusal(applied)) return applied;
  const lost = operation.affectsAdministrators === true ? findLostRight(applied.state) : undefined;
  if (lost !== undefined) {
    return refuse('resource_conflict', `nobody would be left who can ${lost}`);
  }
  return refusal ?? { ...applied, ...authorized };
}

interface Authorized extends Pick<Performed, 'policy' | 'demands' | 'vaultIds' | 'actions'> {
  /**
   * Refuses a right that is needed beside the action. It is used only if `apply`, whose reason may be better, refuses
   * nothing.
   */
  readonly refusal: Refusal | undefined;
}

/** `self` needs no right: such an operation checks what it does itself. */
function authorize(
  state: VaultState,
  { operation, actor }: Act,
  input: Input<unknown, unknown>,
): Authorized | Refusal {
  const vaultIds = operation.vaultIds?.(state, input) ?? [];
  if (operation.action === 'self') {
    return { policy: undefined, demands: [], vaultIds, actions: [], refusal: undefined };
  }
  const permission = authorizeAdmin(state, actor, operation.action, vaultIds);
  if (isRefusal(permission)) return permission;
  const also = operation.alsoNeeds?.(state, input) ?? [];
  const more = also.map((action) => authorizeAdmin(state, actor, action));
  return {
    policy: permission.policy,
    demands: [permission, ...more].flatMap((one) => (isRefusal(one) ? [] : one.demands)),
    vaultIds,
    actions: [operation.action, ...also],
    refusal: more.find(isRefusal),
  };
}
