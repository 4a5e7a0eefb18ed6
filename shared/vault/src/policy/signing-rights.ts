/**
 * What signing policies say to a caller before a word of the request is read. Most of what is refused is refused
 * here: reading a request costs a thousand times as much.
 */
import { refuse } from '@countersign/core/errors.js';
import type { SigningOperationName } from '@countersign/core/vocabulary.js';
import type { Rule, User, VaultState } from '../state/state.js';
import { isSubject } from './admin-policy.js';

/** Who asks for which kind of signature, at which venue. */
export interface SigningStanding {
  readonly operation: SigningOperationName;
  readonly initiator: User;
  /** The venue that the key is for. */
  readonly venueId?: string | undefined;
  /** What signs, and the wallet that it belongs to; limits count by them. */
  readonly keyId?: string | undefined;
  readonly walletId?: string | undefined;
}

/** The answer wherever no rule allows, and to whoever may not learn more. */
export const NO_RULE = refuse('forbidden', 'no signing policy rule allows this request');

/** Whether an enabled rule for this wallet or key allows the user anything at all. */
export function isNamedByRule(state: VaultState, memberId: string, user: User): boolean {
  return someAllowing(state, memberId, (rule) => namesInitiator(rule, user));
}

/** Whether there is a request of this standing that the rules for this wallet or key allow. */
export function canBeAllowed(
  state: VaultState,
  memberId: string,
  { operation, initiator, venueId }: SigningStanding,
): boolean {
  return someAllowing(
    state,
    memberId,
    (rule) =>
      coversOperation(rule, operation) &&
      namesInitiator(rule, initiator) &&
      isForVenue(rule, venueId),
  );
}

/** Raw signing is a bypass of every content rule: a rule must name it, silence never covers it. */
export function coversOperation({ when }: Rule, operation: SigningOperationName): boolean {
  return when.operations?.includes(operation) ?? operation !== 'raw_sign';
}

export function namesInitiator({ when }: Rule, user: User): boolean {
  return when.initiators === undefined || isSubject(when.initiators, user);
}

export function isForVenue({ when }: Rule, venueId: string | undefined): boolean {
  return when.venueIds?.includes(venueId ?? '') ?? true;
}

function someAllowing(
  { securityGroups, signingPolicies }: VaultState,
  memberId: string,
  test: (rule: Rule) => boolean,
): boolean {
  const groupIds = securityGroups.indexes.byMember.get(memberId) ?? [];
  return groupIds.some((groupId) =>
    securityGroups.rows
      .get(groupId)
      ?.signingPolicyIds.some((policyId) =>
        signingPolicies.rows
          .get(policyId)
          ?.rules.some((rule) => rule.enabled && rule.then === 'allow' && test(rule)),
      ),
  );
}
