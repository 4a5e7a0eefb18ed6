/**
 * Limits what managing users can lead to. A user's standing is what they may administer and what they may sign.
 * `refuseEscalation` keeps a manager from giving somebody more to administer than the manager has. Here managers are
 * kept from taking it from somebody who has more. They are also kept from signing, through any user whose credential
 * they set, what they may not sign themselves.
 */
import { deny } from '@countersign/core/denials.js';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import { authorizeAdmin, holdsRightsOf, isSubject } from '../policy/admin-policy.js';
import type { HumanUser, Rule, SigningPolicy, User, VaultState } from '../state/state.js';
import { vaultsOfGroup } from './signing-policies.js';
import { sameMembers } from './user-rights.js';

/**
 * 403 when `actor` may not change or delete this user so. `before` is undefined for a user who is being created,
 * `after` for one who is deleted. Freezing changes no standing and is not refused: whoever may freeze can stop
 * everybody anyway, by a freeze of the system.
 */
export function refuseTakeover(
  state: VaultState,
  actor: User,
  before: User | undefined,
  after: User | undefined,
): Refusal | undefined {
  const isSet = after !== undefined && isNewlySet(before, after);
  const isTaken =
    before !== undefined && (after === undefined || isSet || isBounded(before, after));
  if (isTaken && !holdsRightsOf(state, actor, before)) {
    return deny('rights_held');
  }
  const above = isSet ? findPolicyAbove(state, actor, after) : undefined;
  return above === undefined ? undefined : deny('signing_gained', above.id);
}

/** Whether groups or credentials differ: who sets them decides who the user is. */
function isNewlySet(before: User | undefined, after: User): boolean {
  if (before === undefined) return true;
  if (!sameMembers(before.userGroupIds, after.userGroupIds)) return true;
  if (before.type !== 'machine' || after.type !== 'machine') {
    return before.type === 'human' && after.type === 'human' && isReset(before, after);
  }
  return before.publicKey !== after.publicKey || before.apiKeySha256 !== after.apiKeySha256;
}

/** A person who adds or removes a passkey stays the same; a reset hands them a new code. */
function isReset(before: HumanUser, after: HumanUser): boolean {
  return before.enrollmentCodeSha256 !== after.enrollmentCodeSha256;
}

/** Whether time or place are bounded in another way: either can shut the user out. */
function isBounded(before: User, after: User): boolean {
  if (before.type !== 'machine' || after.type !== 'machine') return false;
  const { allowedAddresses: ranges = [] } = before;
  return before.expiresAt !== after.expiresAt || !sameMembers(ranges, after.allowedAddresses ?? []);
}

/**
 * The first policy that lets `user` sign more than `actor` and that `actor` may not change. Only the users that rules
 * name are compared. Whoever is allowed by fewer rules and denied by more can never sign what the other cannot, in any
 * order of rules.
 */
function findPolicyAbove(state: VaultState, actor: User, user: User): SigningPolicy | undefined {
  return [...state.signingPolicies.rows.values()].find(
    (policy) =>
      policy.rules.some((rule) => favours(rule, user, actor)) && !mayChange(state, actor, policy),
  );
}

/** A rule that is switched off counts: whoever switches it on does not look at who is in its groups. */
function favours(rule: Rule, user: User, actor: User): boolean {
  return rule.then === 'deny'
    ? names(rule, actor) && !names(rule, user)
    : names(rule, user) && !names(rule, actor);
}

function names({ when: { initiators } }: Rule, user: User): boolean {
  return initiators === undefined || initiators === 'anyone' || isSubject(initiators, user);
}

/**
 * Whoever may change the policy could name anybody in it. This does not hold for who needs approvals for it, or has to
 * wait.
 */
function mayChange(state: VaultState, actor: User, policy: SigningPolicy): boolean {
  const vaultIds = vaultsOfGroup(state, policy.securityGroupId);
  const permission = authorizeAdmin(state, actor, 'manage_signing_policies', vaultIds);
  return !isRefusal(permission) && permission.demands.length === 0;
}
