/** Draft policies: the state as if they replaced those in force. Nothing is kept. */
import type { RuleBody } from '@countersign/api/policy-requests.js';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import { sha256, uuidFromHash } from '@countersign/core/hash.js';
import type { MemberType } from '@countersign/core/vocabulary.js';
import type { Catalogues } from '../catalogues/catalogues.js';
import { findRuleFault } from '../checks/rule-faults.js';
import type { Rule, SecurityGroup, SigningPolicy, VaultState } from '../state/state.js';
import { insertRow, replaceRow } from '../state/table.js';
import { groupIdsOf } from '../policy/group-membership.js';
import { makeRules } from './signing-rules.js';

/** Policies in order, each with its rules in order. A rule may bring an id, which then names it in the trace. */
export type Draft = readonly (readonly RuleBody[])[];

const STAMPS = { createdAt: 0, createdBy: 'draft', lastUpdatedAt: 0, lastUpdatedBy: 'draft' };

/**
 * The state in which the group has these policies and no others. 422, naming policy and rule by their index, if they
 * could not be written.
 */
export function withDraft(
  state: VaultState,
  group: SecurityGroup,
  draft: Draft,
  catalogues: Catalogues,
): VaultState | Refusal {
  let { signingPolicies } = state;
  const signingPolicyIds: string[] = [];
  for (const [index, bodies] of draft.entries()) {
    const id = draftId(`policy ${index}`);
    const rules = readRules(state, group, bodies, id, catalogues);
    if (isRefusal(rules)) return { ...rules, message: `policies.${index}.${rules.message}` };
    signingPolicies = insertRow(signingPolicies, policyOf(id, group, rules));
    signingPolicyIds.push(id);
  }
  const securityGroups = replaceRow(state.securityGroups, { ...group, signingPolicyIds });
  return { ...state, signingPolicies, securityGroups };
}

/** As {@link withDraft}, replacing the policies of all groups that the key or wallet is in, if any. */
export function withDraftForMember(
  state: VaultState,
  member: { readonly id: string; readonly type: MemberType },
  draft: Draft,
  catalogues: Catalogues,
): VaultState | Refusal {
  let { securityGroups } = state;
  for (const id of groupIdsOf(state, member.id)) {
    const group = securityGroups.rows.get(id)!;
    securityGroups = replaceRow(securityGroups, { ...group, signingPolicyIds: [] });
  }
  const group: SecurityGroup = {
    ...STAMPS,
    id: draftId('group'),
    displayName: draftId('group'),
    vaultIds: null,
    members: [member],
    signingPolicyIds: [],
  };
  securityGroups = insertRow(securityGroups, group);
  return withDraft({ ...state, securityGroups }, group, draft, catalogues);
}

function readRules(
  state: VaultState,
  group: SecurityGroup,
  bodies: readonly RuleBody[],
  policyId: string,
  catalogues: Catalogues,
): Rule[] | Refusal {
  const kept = bodies.flatMap(({ id }) => id ?? []);
  const newId = (name: string) => draftId(`${policyId} ${name}`);
  const rules = makeRules(state, bodies, { newId }, kept);
  return isRefusal(rules) ? rules : (findRuleFault(state, group, rules, catalogues) ?? rules);
}

function policyOf(id: string, group: SecurityGroup, rules: readonly Rule[]): SigningPolicy {
  return { ...STAMPS, id, displayName: id, securityGroupId: group.id, version: 1, rules };
}

/** The same text gives the same id, which no entry of the ledger makes. */
function draftId(name: string): string {
  return uuidFromHash(sha256('countersign draft v1', name));
}
