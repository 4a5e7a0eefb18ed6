/**
 * Which approvals of a waiting request count. They are counted anew whenever something is decided: by the policies as
 * they are then, and by the approvers as they are then.
 */
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import { sha256 } from '@countersign/core/hash.js';
import type {
  AskedApprovals,
  GivenApproval,
  HeldRequest,
  User,
  VaultState,
} from '../state/state.js';
import { isEnrolled } from '../state/passkey-owner.js';
import { authorizeAdmin, isSubject, type Demand } from './admin-policy.js';

/**
 * Stands for a user's credential (hex): what was asked for or approved with another one does not count once the user
 * has got a new one, which is how a stolen credential is put out of use.
 */
export function credentialMark(user: User): string {
  const credential =
    user.type === 'machine'
      ? `${user.publicKey} ${user.apiKeySha256}`
      : (user.credentialEpoch ?? '');
  return sha256('countersign credential mark v1', user.id, credential).toString('hex');
}

/** Whether the user can act at this time, ms: a person needs a passkey. */
export function isActive(user: User | undefined, at: number): user is User {
  if (user === undefined || user.frozen !== null) return false;
  if (user.type === 'human') return isEnrolled(user);
  return user.expiresAt === null || user.expiresAt > at;
}

/** The requester, where they could ask for it still: with the same credential. */
export function findRequester(state: VaultState, held: HeldRequest, at: number): User | Refusal {
  const user = state.users.rows.get(held.createdBy);
  return isActive(user, at) && credentialMark(user) === held.credential
    ? user
    : refuse(
        'forbidden',
        'whoever asked for it is frozen, gone, expired, or has another credential',
      );
}

/** What the policies that allow it ask for now; a refusal where none allows it any more. */
export function demandsOn(
  state: VaultState,
  held: Pick<HeldRequest, 'actions' | 'vaultIds'>,
  requester: User,
): Demand[] | Refusal {
  const demands: Demand[] = [];
  for (const [index, action] of held.actions.entries()) {
    const permission = authorizeAdmin(state, requester, action, index === 0 ? held.vaultIds : []);
    if (isRefusal(permission)) return permission;
    demands.push(...permission.demands);
  }
  return demands;
}

/** Whether one of the demands asks for this user's approval. */
export function isApprover(
  demands: readonly Pick<Demand, 'approvals'>[],
  held: Pick<HeldRequest, 'createdBy'>,
  user: User,
): boolean {
  if (user.id === held.createdBy) return false;
  return demands.some(({ approvals }) => approvals !== undefined && isNamed(approvals, user));
}

/** Whether every demand has its approvals. */
export function areApproved(
  state: VaultState,
  demands: readonly Pick<Demand, 'approvals'>[],
  held: Pick<HeldRequest, 'createdBy' | 'given'>,
  at: number,
): boolean {
  return demands.every(
    ({ approvals }) =>
      approvals === undefined ||
      countingApprovals(state, approvals, held, at).length >= approvals.quorum,
  );
}

/** Those that count towards this demand. */
export function countingApprovals(
  state: VaultState,
  approvals: Pick<AskedApprovals, 'approvers'>,
  { createdBy, given }: Pick<HeldRequest, 'createdBy' | 'given'>,
  at: number,
): GivenApproval[] {
  return given.filter(({ userId, credential }, index) => {
    const user = state.users.rows.get(userId);
    return (
      userId !== createdBy &&
      given.findIndex((other) => other.userId === userId) === index &&
      isActive(user, at) &&
      credentialMark(user) === credential &&
      isNamed(approvals, user)
    );
  });
}

function isNamed({ approvers }: Pick<AskedApprovals, 'approvers'>, user: User): boolean {
  return isSubject(approvers, user);
}

/** Whether the user may stop it while it waits for its time: who may freeze what it touches. */
export function mayStop(state: VaultState, held: HeldRequest, user: User): boolean {
  return (
    held.status === 'delayed' && !isRefusal(authorizeAdmin(state, user, 'freeze', held.vaultIds))
  );
}

/** Whether the user is asked to approve it: by the policies as they are now. */
export function isAsked(state: VaultState, held: HeldRequest, user: User): boolean {
  const requester = state.users.rows.get(held.createdBy);
  if (requester === undefined) return false;
  const demands = demandsOn(state, held, requester);
  return !isRefusal(demands) && isApprover(demands, held, user);
}

/** Whoever made it, decides about it, may stop it, or sees everything. */
export function maySeeHeld(state: VaultState, held: HeldRequest, user: User): boolean {
  return (
    user.id === held.createdBy ||
    held.given.some(({ userId }) => userId === user.id) ||
    isAsked(state, held, user) ||
    mayStop(state, held, user) ||
    !isRefusal(authorizeAdmin(state, user, 'view_system_resources'))
  );
}
