/**
 * Whose approvals a waiting request needs, which of them count, and who may see and stop it: found anew at every
 * decision, by the policies and users as they are then.
 *
 * The ledger holds a request for a signature without reading it: reading an order or a transaction needs catalogues,
 * which a release may know better tomorrow. So the ledger says who approved what, under which rules, and when that was
 * complete, once. Which rule decides is found at the moment of signing: see `released-approvals.ts`.
 */
import { deny } from '@countersign/core/fold-denials.js';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import { sha256 } from '@countersign/core/hash.js';
import { isEnrolled } from '../state/passkey-owner.js';
import type { GivenApproval, PendingRequest, User, VaultState } from '../state/state.js';
import { authorizeAdmin, isSubject, type Demand } from './admin-policy.js';
import { askingRulesOf, type AskingRule } from './signing-rights.js';

/**
 * How long after its release a request may be signed, ms. After that nobody signs it, whatever databases and processes
 * remember: the ledger names one moment of release.
 */
export const RELEASE_LIFE_MS = 60_000;

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
function isActive(user: User | undefined, at: number): user is User {
  if (user === undefined || user.frozen !== null) return false;
  if (user.type === 'human') return isEnrolled(user);
  return user.expiresAt === null || user.expiresAt > at;
}

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
  if (held.signing !== undefined) {
    const rules = askingRulesOf(state, held.signing, requester);
    return rules.length === 0 ? NOTHING_ASKED : rules.map(demandOfRule);
  }
  const demands: Demand[] = [];
  for (const [index, action] of held.actions.entries()) {
    const permission = authorizeAdmin(state, requester, action, index === 0 ? held.vaultIds : []);
    if (isRefusal(permission)) return permission;
    demands.push(...permission.demands);
  }
  return demands;
}

export const NOTHING_ASKED = deny('nothing_asked');

/** The demand names the rule. */
export function demandOfRule({ policy: { id, version }, rule, approvals }: AskingRule): Demand {
  return { policy: { id, version, ruleId: rule.id }, approvals, delayMs: 0 };
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

/** The approvals that count for this demand: those for a rule were given under it, or under any rule that asks. */
export function approvalsFor(
  state: VaultState,
  { policy: { ruleId }, approvals }: Demand,
  { createdBy, given }: Pick<PendingRequest, 'createdBy' | 'given'>,
  at: number,
): GivenApproval[] {
  const under = given.filter(
    ({ ruleIds }) => ruleId === undefined || ruleIds === undefined || ruleIds.includes(ruleId),
  );
  return under.filter((one, index) => {
    const { userId } = one;
    const user = giverOf(state, one, at);
    return (
      user !== undefined &&
      userId !== createdBy &&
      under.findIndex((other) => other.userId === userId) === index &&
      approvals !== undefined &&
      isSubject(approvals.approvers, user)
    );
  });
}

/** Who gave it; undefined if it no longer counts: they cannot act, or have another credential by now. */
export function giverOf(
  state: VaultState,
  { userId, credential }: Pick<GivenApproval, 'userId' | 'credential'>,
  at: number,
): User | undefined {
  const user = state.users.rows.get(userId);
  return isActive(user, at) && credentialMark(user) === credential ? user : undefined;
}

/** Whether the demand has its approvals, and a rule's in the rule's time. `at`: ms. */
export function isMet(
  state: VaultState,
  demand: Demand,
  held: Pick<PendingRequest, 'createdBy' | 'createdAt' | 'given'>,
  at: number,
): boolean {
  const { policy, approvals } = demand;
  if (approvals === undefined) return true;
  const isInTime = policy.ruleId === undefined || at < held.createdAt + approvals.expiresInMs;
  return isInTime && approvalsFor(state, demand, held, at).length >= approvals.quorum;
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
