/** Whose approvals a waiting request needs, and who may see and stop it, by the policies as they are now. */
import { deny } from '@countersign/core/denials.js';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import type { PendingRequest, PendingSigning, User, VaultState } from '../state/state.js';
import { authorizeAdmin, isSubject, type Demand } from './admin-policy.js';
import { countingApprovals, credentialMark, isActive } from './counting-approvals.js';
import { askingRulesOf } from './signing-approvals.js';

/** The requester, if they could still make the request with the same credential. */
export function findRequester(state: VaultState, held: PendingRequest, at: number): User | Refusal {
  const user = state.users.rows.get(held.createdBy);
  return isActive(user, at) && credentialMark(user) === held.credential
    ? user
    : deny('requester_gone');
}

/**
 * The demands, now, of the policies that allow the request; a refusal if none allows it any more. A signature has the
 * demands of every rule that could decide, since its content is not read here.
 */
export function demandsOn(
  state: VaultState,
  held: Pick<PendingRequest, 'actions' | 'vaultIds' | 'signing'>,
  requester: User,
): Demand[] | Refusal {
  if (held.signing !== undefined) return signingDemands(state, held.signing, requester);
  const demands: Demand[] = [];
  for (const [index, action] of held.actions.entries()) {
    const permission = authorizeAdmin(state, requester, action, index === 0 ? held.vaultIds : []);
    if (isRefusal(permission)) return permission;
    demands.push(...permission.demands);
  }
  return demands;
}

function signingDemands(
  state: VaultState,
  signing: PendingSigning,
  requester: User,
): Demand[] | Refusal {
  const rules = askingRulesOf(state, signing, requester);
  return rules.length === 0
    ? deny('nothing_asked')
    : rules.map(({ policy: { id, version }, approvals }) => ({
        policy: { id, version },
        approvals,
        delayMs: 0,
      }));
}

/** Whether one of the demands asks for this user's approval. */
export function isApprover(
  demands: readonly Pick<Demand, 'approvals'>[],
  held: Pick<PendingRequest, 'createdBy'>,
  user: User,
): boolean {
  if (user.id === held.createdBy) return false;
  return demands.some(
    ({ approvals }) => approvals !== undefined && isSubject(approvals.approvers, user),
  );
}

/** Whether every demand has its approvals. */
export function areApproved(
  state: VaultState,
  demands: readonly Pick<Demand, 'approvals'>[],
  held: Pick<PendingRequest, 'createdBy' | 'given'>,
  at: number,
): boolean {
  return demands.every(
    ({ approvals }) =>
      approvals === undefined ||
      countingApprovals(state, approvals, held, at).length >= approvals.quorum,
  );
}

/** Whether the user may stop it while it waits for its time, by the right to freeze what it touches. */
export function mayStop(state: VaultState, held: PendingRequest, user: User): boolean {
  return (
    held.status === 'delayed' && !isRefusal(authorizeAdmin(state, user, 'freeze', held.vaultIds))
  );
}

/** Whether the user is asked to approve it, by the policies as they are now. */
export function isAsked(state: VaultState, held: PendingRequest, user: User): boolean {
  const requester = state.users.rows.get(held.createdBy);
  if (requester === undefined) return false;
  const demands = demandsOn(state, held, requester);
  return !isRefusal(demands) && isApprover(demands, held, user);
}

/** Whether the user made it, decides about it, may stop it, or sees everything. */
export function maySeePending(state: VaultState, held: PendingRequest, user: User): boolean {
  return (
    user.id === held.createdBy ||
    held.given.some(({ userId }) => userId === user.id) ||
    isAsked(state, held, user) ||
    mayStop(state, held, user) ||
    !isRefusal(authorizeAdmin(state, user, 'view_system_resources'))
  );
}
