/** What the vault makes of one request: its class, and whether a bot's three rules sign it. */
import { isRefusal } from '@countersign/core/errors.js';
import { decideSigning } from '@countersign/vault/policy/signing-policy.js';
import {
  EMPTY_STATE,
  type RuleConditions,
  type VaultState,
} from '@countersign/vault/state/state.js';
import { insertRow } from '@countersign/vault/state/table.js';
import type { OperationClass } from '@countersign/core/vocabulary.js';
import type { VenueKey, VenueRequest } from '@countersign/venues/engine/venue.js';
import { findVenue } from '@countersign/venues/venue-catalogue.js';

/** What kept a request from being signed; `why`: as the sweep's tables count them. */
export interface Refusal {
  readonly why:
    | 'class'
    | 'endpoint'
    | 'parameter'
    | 'handed on'
    | 'form'
    | 'symbol'
    | 'size'
    | 'no size';
  /** Public text. */
  readonly text: string;
}

export interface Judgement {
  /** `refused`: 422. */
  readonly operationClass: OperationClass | 'refused';
  readonly isSigned: boolean;
  /** Why not; absent for what is signed. */
  readonly refusal?: Refusal;
}

const STAMPS = { createdAt: 0, createdBy: 'x', lastUpdatedAt: 0, lastUpdatedBy: 'x' };
const BOT = {
  ...STAMPS,
  id: 'bot',
  type: 'machine' as const,
  displayName: 'bot',
  description: null,
  userGroupIds: [],
  frozen: null,
  apiKeySha256: '',
  publicKey: '',
  publicKeySince: 0,
  expiresAt: null,
};

/** One key, one bot, and a rule that allows for each of the conditions. */
export function stateWith(conditions: readonly RuleConditions[]): VaultState {
  const rules = conditions.map((when, index) => ({
    id: `r${index}`,
    displayName: `r${index}`,
    enabled: true,
    when: { ...when, initiators: { userIds: ['bot'], userGroupIds: [] } },
    then: 'allow' as const,
  }));
  const policy = { ...STAMPS, id: 'p', displayName: 'p', securityGroupId: 'g', version: 1, rules };
  const group = {
    ...STAMPS,
    id: 'g',
    displayName: 'g',
    vaultIds: null,
    members: [{ id: 'key', type: 'key' as const }],
    signingPolicyIds: ['p'],
  };
  return {
    ...EMPTY_STATE,
    signingPolicies: insertRow(EMPTY_STATE.signingPolicies, policy),
    securityGroups: insertRow(EMPTY_STATE.securityGroups, group),
  };
}

/** Throws for a venue that the catalogue lacks. */
export function judgeRequest(
  state: VaultState,
  venueId: string,
  request: VenueRequest,
  keyType: VenueKey['type'],
): Judgement {
  const plan = findVenue(venueId)!.plan(request, { type: keyType, apiKey: 'key' });
  if (isRefusal(plan)) {
    return refused('refused', 'form', plan.message);
  }
  const { operationClass, unknownBecause, undecidable } = plan.facts;
  const asked = {
    operation: 'sign' as const,
    initiator: BOT,
    receivedAt: 0,
    venueId,
    venue: plan.facts,
  };
  const { outcome, reason } = decideSigning(state, 'key', asked);
  if (outcome === 'allow') return { operationClass, isSigned: true };
  if (operationClass === 'unknown') {
    const isParameter = /takes no (?:parameter|query|form|JSON)/.test(unknownBecause ?? '');
    return refused(operationClass, isParameter ? 'parameter' : 'endpoint', unknownBecause ?? '');
  }
  if (operationClass !== 'trade') return refused(operationClass, 'class', operationClass);
  if (undecidable.includes('symbols') || plan.facts.symbols.length === 0) {
    return refused(operationClass, 'symbol', reason);
  }
  if (undecidable.includes('amount')) return refused(operationClass, 'size', reason);
  // a loan names its coin, and the rules name markets
  if (!/: (?:amount|quote_amount|contracts)\b/.test(reason)) {
    return refused(operationClass, 'symbol', reason);
  }
  const { amounts, quoteAmounts, contracts } = plan.facts;
  const sizes = amounts.length + quoteAmounts.length + contracts.length;
  return refused(operationClass, sizes === 0 ? 'no size' : 'size', reason);
}

function refused(
  operationClass: Judgement['operationClass'],
  why: Refusal['why'],
  text: string,
): Judgement {
  return { operationClass, isSigned: false, refusal: { why, text } };
}
