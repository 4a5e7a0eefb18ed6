import type { z } from 'zod';
import type { adminPolicy, securityGroup, signingPolicy } from '@countersign/api/policy-schema.js';
import type {
  AdminPolicy,
  Rule,
  SecurityGroup,
  SigningPolicy,
  Subjects,
  VelocityLimit,
} from '../state/state.js';
import { stampsView } from './stamps-view.js';

export function adminPolicyView(policy: AdminPolicy): z.input<typeof adminPolicy> {
  return {
    id: policy.id,
    display_name: policy.displayName,
    action: policy.action,
    effect: policy.effect,
    subjects: subjectsView(policy.subjects),
    scope: policy.scopeVaultIds === null ? {} : { vault_ids: [...policy.scopeVaultIds] },
    version: policy.version,
    ...stampsView(policy),
  };
}

function subjectsView(subjects: Subjects): z.input<typeof adminPolicy>['subjects'] {
  return { user_ids: [...subjects.userIds], user_group_ids: [...subjects.userGroupIds] };
}

export function securityGroupView(group: SecurityGroup): z.input<typeof securityGroup> {
  return {
    id: group.id,
    display_name: group.displayName,
    ...(group.vaultIds !== null && { vault_ids: [...group.vaultIds] }),
    members: group.members.map(({ id: memberId, type }) => ({
      member_id: memberId,
      member_type: type,
    })),
    signing_policy_ids: [...group.signingPolicyIds],
    ...stampsView(group),
  };
}

export function signingPolicyView(
  policy: SigningPolicy,
  group: SecurityGroup,
): z.input<typeof signingPolicy> {
  return {
    id: policy.id,
    display_name: policy.displayName,
    security_group_id: policy.securityGroupId,
    position: group.signingPolicyIds.indexOf(policy.id) + 1,
    version: policy.version,
    rules: policy.rules.map(ruleView),
    ...stampsView(policy),
  };
}

function ruleView(value: Rule): z.input<typeof signingPolicy>['rules'][number] {
  const { operations, initiators, networks, venueIds, operationClasses } = value.when;
  const { endpoints, symbols, sides, amount, quoteAmount, contracts, velocity } = value.when;
  return {
    id: value.id,
    display_name: value.displayName,
    enabled: value.enabled,
    when: {
      ...(operations !== undefined && { operations: [...operations] }),
      ...(initiators !== undefined && { initiators: subjectsView(initiators) }),
      ...(networks !== undefined && { networks: [...networks] }),
      ...(venueIds !== undefined && { venue_ids: [...venueIds] }),
      ...(operationClasses !== undefined && { operation_classes: [...operationClasses] }),
      ...(endpoints !== undefined && { endpoints: [...endpoints] }),
      ...(symbols !== undefined && { symbols: [...symbols] }),
      ...(sides !== undefined && { sides: [...sides] }),
      ...(amount !== undefined && { amount: { ...amount } }),
      ...(quoteAmount !== undefined && { quote_amount: { ...quoteAmount } }),
      ...(contracts !== undefined && { contracts: { ...contracts } }),
      ...(velocity !== undefined && { velocity: velocityView(velocity) }),
    },
    then: value.then,
  };
}

function velocityView({ limit, unit, windowS, per }: VelocityLimit) {
  return { limit, unit, window_s: windowS, per };
}
