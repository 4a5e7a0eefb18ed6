/** Tells how the signing policies would decide a request, and each rule's part in it. It signs nothing. */
import { evaluateSigningPoliciesOperation } from '@countersign/api/operations/signing-policies.js';
import { evaluateBody, evaluation } from '@countersign/api/policy-schema.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import { findRow } from '@countersign/vault/operations/lookups.js';
import { CATALOGUES } from '@countersign/vault/catalogues/todays-catalogues.js';
import { withDraft, withDraftForMember } from '@countersign/vault/operations/draft-policies.js';
import {
  findNetworkFault as findWalletNetworkFault,
  readMovements,
} from '@countersign/vault/operations/sign.js';
import type { TransactionFacts } from '@countersign/chains/solana-movements.js';
import type { MemberType } from '@countersign/core/vocabulary.js';
import { factsView } from './signing-facts-view.js';
import { refuseFrozen } from '@countersign/vault/operations/signing-operation.js';
import {
  findKeyTarget,
  findWalletTarget,
  type SigningTarget,
} from '@countersign/vault/operations/signing-targets.js';
import { isInGroup } from '@countersign/vault/policy/group-filter.js';
import {
  decideSigning,
  type SigningDecision,
  type SigningFacts,
} from '@countersign/vault/policy/signing-policy.js';
import { planForKey } from '@countersign/vault/operations/venue-sign.js';
import type { VenuePlan } from '@countersign/venues/engine/venue.js';
import { refuseKeyTarget } from '@countersign/vault/operations/key-target.js';
import type { User, VaultState } from '@countersign/vault/state/state.js';
import type * as s from '@countersign/core/shapes.js';
import { readOperation } from './read-operation.js';

type Body = s.OutputOf<typeof evaluateBody>;

export const evaluateRoute = readOperation({
  ...evaluateSigningPoliciesOperation,
  handle({ state, caller, now, prices }, { body }) {
    const initiator = findRow(state.users, body.user_id ?? caller.id);
    if (isRefusal(initiator)) return refuse('invalid_inputs', 'user_id: names an unknown user');
    const target = findTarget(state, body);
    if (isRefusal(target)) return target;
    const fault = findNetworkFault(state, target, body);
    if (fault !== undefined) return fault;
    const plan = planVenueRequest(target, body);
    if (isRefusal(plan)) return plan;
    const transaction = readTransaction(target, body);
    if (isRefusal(transaction)) return transaction;
    const facts: SigningFacts = {
      operation: body.operation,
      initiator,
      receivedAt: body.received_at ?? now,
      networkId: body.network_id,
      venueId: target.key.venueId ?? undefined,
      keyId: target.key.id,
      walletId: target.wallet?.id,
      venue: plan?.facts,
      transaction,
      ...(state.settings.usdValueConditionsEnabled && { prices: prices.current() }),
    };
    const evaluated = stateOf(state, memberOf(target), body);
    if (isRefusal(evaluated)) return evaluated;
    const frozen = refuseFrozenUser(initiator) ?? refuseFrozen(state, target);
    const decision = decideSigning(evaluated, memberOf(target).id, facts);
    return evaluationView(decision, frozen, factsView(facts, body.message));
  },
});

function findTarget(state: VaultState, body: Body): SigningTarget | Refusal {
  if (body.key_id !== undefined) {
    const target = findKeyTarget(state, { key_id: body.key_id });
    return isRefusal(target) ? target : (refuseKeyTarget(target) ?? target);
  }
  return findWalletTarget(state, { vault_id: body.vault_id ?? '', address: body.address ?? '' });
}

/** As in a real request, a raw signature has no network, and a wallet's transaction always has one. */
function findNetworkFault(
  state: VaultState,
  { wallet }: SigningTarget,
  { operation, network_id: networkId }: Body,
): Refusal | undefined {
  if (operation === 'raw_sign') {
    return networkId === undefined
      ? undefined
      : refuse('invalid_inputs', 'network_id: raw_sign has no network');
  }
  if (wallet === undefined) {
    return networkId === undefined
      ? undefined
      : refuse('invalid_inputs', 'network_id: a venue request has no network');
  }
  return findWalletNetworkFault(state, wallet, networkId ?? '');
}

/** Signing with a key is always a venue request, and nothing else is. */
function planVenueRequest(
  { key, wallet }: SigningTarget,
  { operation, venue_request: request }: Body,
): VenuePlan | Refusal | undefined {
  const isVenueRequest = wallet === undefined && operation === 'sign';
  if (isVenueRequest !== (request !== undefined)) {
    const message = isVenueRequest
      ? 'venue_request: is required to sign with a key'
      : 'venue_request: only a key signs venue requests';
    return refuse('invalid_inputs', message);
  }
  return request === undefined ? undefined : planForKey(key, request);
}

/** Without a transaction its movements are unknown. */
function readTransaction(
  { wallet }: SigningTarget,
  { operation, network_id: networkId, transaction, message }: Body,
): TransactionFacts | Refusal | undefined {
  const isTransaction = wallet !== undefined && operation === 'sign';
  if (message !== undefined && operation === 'sign') {
    return refuse('invalid_inputs', 'message: only raw_sign has one');
  }
  if (!isTransaction) {
    return transaction === undefined
      ? undefined
      : refuse('invalid_inputs', 'transaction: only sign with a wallet has one');
  }
  if (transaction === undefined) return { movements: [], unread: 'no transaction was given' };
  if (wallet.networkFamily !== 'solana') {
    return refuse('invalid_inputs', 'transaction: cannot be decoded for this network yet');
  }
  return readMovements(networkId ?? '', transaction);
}

interface Member {
  readonly id: string;
  readonly type: MemberType;
}

function memberOf({ key, wallet }: SigningTarget): Member {
  return wallet === undefined ? { id: key.id, type: 'key' } : { id: wallet.id, type: 'wallet' };
}

/** The state with the body's draft, if there is one. */
function stateOf(state: VaultState, member: Member, body: Body): VaultState | Refusal {
  const draft = body.policies?.map(({ rules }) => rules) ?? (body.rules && [body.rules]);
  const { security_group_id: groupId } = body;
  if (draft === undefined) {
    return groupId === undefined
      ? state
      : refuse('invalid_inputs', 'security_group_id: only a draft stands for a group');
  }
  if (groupId === undefined) return withDraftForMember(state, member, draft, CATALOGUES);
  const group = state.securityGroups.rows.get(groupId);
  return group !== undefined && isInGroup(state, member.id, groupId)
    ? withDraft(state, group, draft, CATALOGUES)
    : refuse('invalid_inputs', 'security_group_id: is no group that has the key or wallet');
}

function refuseFrozenUser(user: User): Refusal | undefined {
  return user.frozen === null ? undefined : refuse('unauthorized', 'the user is frozen');
}

function evaluationView(
  decision: SigningDecision,
  frozen: Refusal | undefined,
  facts: s.InputOf<typeof evaluation>['facts'],
): s.InputOf<typeof evaluation> {
  const { policy } = decision;
  return {
    outcome: frozen === undefined ? decision.outcome : 'deny',
    reason: frozen?.message ?? decision.reason,
    policy:
      policy?.ruleId === undefined
        ? null
        : { id: policy.id, version: policy.version, rule_id: policy.ruleId },
    facts,
    trace: decision.trace.map((step) => ({
      policy_id: step.policyId,
      rule_id: step.ruleId,
      result: step.result,
      ...(step.failedCondition !== undefined && { failed_condition: step.failedCondition }),
    })),
  };
}
