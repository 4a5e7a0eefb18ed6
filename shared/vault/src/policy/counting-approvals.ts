/**
 * Finds which approvals of a waiting request count. They are counted anew at every decision, by the policies and
 * approvers as they are then.
 */
import { sha256 } from '@countersign/core/hash.js';
import type {
  AskedApprovals,
  GivenApproval,
  PendingRequest,
  User,
  VaultState,
} from '../state/state.js';
import { isEnrolled } from '../state/passkey-owner.js';
import { isSubject } from './admin-policy.js';

/**
 * Stands for a user's credential (hex). Once the user has a new one, requests and approvals made with the old one no
 * longer count. That is how a stolen credential is put out of use.
 */
export function credentialMark(user: User): string {
  const credential =
    user.type === 'machine'
      ? `${user.publicKey} ${user.apiKeySha256}`
      : (user.credentialEpoch ?? '');
  return sha256('countersign credential mark v1', user.id, credential).toString('hex');
}

/** Whether the user can act at this time, ms. A person needs a passkey. */
export function isActive(user: User | undefined, at: number): user is User {
  if (user === undefined || user.frozen !== null) return false;
  if (user.type === 'human') return isEnrolled(user);
  return user.expiresAt === null || user.expiresAt > at;
}

/** The approvals that count towards this demand. */
export function countingApprovals(
  state: VaultState,
  approvals: Pick<AskedApprovals, 'approvers'>,
  { createdBy, given }: Pick<PendingRequest, 'createdBy' | 'given'>,
  at: number,
): GivenApproval[] {
  return given.filter(({ userId, credential }, index) => {
    const user = state.users.rows.get(userId);
    return (
      userId !== createdBy &&
      given.findIndex((other) => other.userId === userId) === index &&
      isActive(user, at) &&
      credentialMark(user) === credential &&
      isSubject(approvals.approvers, user)
    );
  });
}
