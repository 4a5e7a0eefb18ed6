/**
 * Approvals of signatures, as the fold counts them. The ledger holds such a request without reading it: reading an
 * order or a transaction needs catalogues, which a release may know better tomorrow. So the ledger says who approved
 * what, under which rules, and when that was complete, once. Which rule decides is found at the moment of signing: see
 * `released-approvals.ts`.
 */
import type {
  GivenApproval,
  PendingRequest,
  PendingSigning,
  User,
  VaultState,
} from '../state/state.js';
import { countingApprovals } from './counting-approvals.js';
import { findAskingRules, type AskingRule } from './signing-rights.js';

/**
 * How long after its release a request may be signed, ms. After that nobody signs it, whatever databases and processes
 * remember: the ledger names one moment of release.
 */
export const RELEASE_LIFE_MS = 60_000;

/** The rules that could ask for approvals of a held request, whatever its content. */
export function askingRulesOf(
  state: VaultState,
  { operation, keyId, walletId }: Pick<PendingSigning, 'operation' | 'keyId' | 'walletId'>,
  requester: User,
): AskingRule[] {
  const venueId = state.keys.rows.get(keyId)?.venueId ?? undefined;
  return findAskingRules(state, walletId ?? keyId, { operation, initiator: requester, venueId });
}

/** The approvals that count for this rule: given under it, or under any rule that asks. */
export function approvalsUnder(
  state: VaultState,
  { rule, approvals }: AskingRule,
  { createdBy, given }: Pick<PendingRequest, 'createdBy' | 'given'>,
  at: number,
): GivenApproval[] {
  const under = given.filter(({ ruleIds }) => ruleIds === undefined || ruleIds.includes(rule.id));
  return countingApprovals(state, approvals, { createdBy, given: under }, at);
}

/** Whether the rule has its approvals in time. `at`: ms. */
export function isApprovedUnder(
  state: VaultState,
  asking: AskingRule,
  held: Pick<PendingRequest, 'createdBy' | 'createdAt' | 'given'>,
  at: number,
): boolean {
  const { quorum, expiresInMs } = asking.approvals;
  return (
    at < held.createdAt + expiresInMs && approvalsUnder(state, asking, held, at).length >= quorum
  );
}
