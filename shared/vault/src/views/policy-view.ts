import type { KeptConditions } from '@countersign/api/conditions/condition.js';
import { CONDITIONS } from '@countersign/api/conditions/conditions.js';
import type * as s from '@countersign/core/shapes.js';
import type {
  adminPolicy,
  securityGroup,
  signingPolicy,
  signingPolicyVersion,
} from '@countersign/api/policy-schema.js';
import type {
  AdminPolicy,
  AskedApprovals,
  Rule,
  SecurityGroup,
  SigningPolicy,
  Subjects,
} from '../state/state.js';
import { stampsView } from './stamps-view.js';

export function adminPolicyView(policy: AdminPolicy): s.InputOf<typeof adminPolicy> {
  return {
    id: policy.id,
    display_name: policy.displayName,
    action: policy.action,
    effect: policy.effect,
    subjects: subjectsView(policy.subjects),
    scope: policy.scopeVaultIds === null ? {} : { vault_ids: [...policy.scopeVaultIds] },
    ...(policy.approvals !== undefined && {
      approvals: approvalsView(policy.approvals),
    }),
    ...(policy.delayMs !== undefined && { delay_s: policy.delayMs / 1_000 }),
    version: policy.version,
    ...stampsView(policy),
  };
}

function approvalsView({ quorum, approvers, expiresInMs }: AskedApprovals) {
  return { quorum, ...subjectsView(approvers), expires_in_s: expiresInMs / 1_000 };
}

function subjectsView(subjects: Subjects): s.InputOf<typeof adminPolicy>['subjects'] {
  return { user_ids: [...subjects.userIds], user_group_ids: [...subjects.userGroupIds] };
}

export function securityGroupView(group: SecurityGroup): s.InputOf<typeof securityGroup> {
  return {
    id: group.id,
    display_name: group.displayName,
    ...(group.vaultIds !== null && { vault_ids: [...group.vaultIds] }),
    members: group.members.map(({ id: memberId, type }) => ({
      member_id: memberId,
      member_type: type,
    })),
    ...(group.selector !== undefined && {
      selector: { labels: { ...group.selector.labels }, types: [...group.selector.types] },
    }),
    signing_policy_ids: [...group.signingPolicyIds],
    ...stampsView(group),
  };
}

export function signingPolicyView(
  policy: SigningPolicy,
  group: SecurityGroup,
): s.InputOf<typeof signingPolicy> {
  const position = group.signingPolicyIds.indexOf(policy.id) + 1;
  return { ...signingPolicyVersionView(policy, group), position };
}

/** A policy as it was at one of its versions; `group` is undefined if that is gone. */
export function signingPolicyVersionView(
  policy: SigningPolicy,
  group: SecurityGroup | undefined,
): s.InputOf<typeof signingPolicyVersion> {
  const index = group?.signingPolicyIds.indexOf(policy.id) ?? -1;
  return {
    id: policy.id,
    display_name: policy.displayName,
    security_group_id: policy.securityGroupId,
    ...(index >= 0 && { position: index + 1 }),
    version: policy.version,
    rules: policy.rules.map(ruleView),
    ...stampsView(policy),
  };
}

type ShownRule = s.InputOf<typeof signingPolicy>['rules'][number];

function ruleView(value: Rule): ShownRule {
  return {
    id: value.id,
    display_name: value.displayName,
    enabled: value.enabled,
    when: shownConditions(value.when),
    then:
      typeof value.then === 'string'
        ? value.then
        : { require_approvals: approvalsView(value.then.requireApprovals) },
  };
}

/** Converts conditions to an answer's form, by name. */
export function shownConditions(when: KeptConditions): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    CONDITIONS.flatMap((one) =>
      when[one.field] === undefined ? [] : [[one.name, one.show(when[one.field])]],
    ),
  );
}
