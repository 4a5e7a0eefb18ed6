import * as requests from '@countersign/api/requests/users.js';
import { refuse } from '@countersign/core/errors.js';
import { approvalsOf } from '../policy/signing-rights.js';
import type { Subjects, VaultState } from '../state/state.js';
import { ledgerOperation } from './ledger-operation.js';
import { RowKind, stated } from './row-kind.js';

const groups = new RowKind('userGroups', { what: 'group', resourceType: 'user_group' });

/** Adds a group without members. 409 for a taken name. */
export const createUserGroup = ledgerOperation({
  ...requests.createUserGroupRequest,
  apply: (state, { body: { display_name: displayName, description = null } }, context) =>
    groups.insert(state, groups.newRow(context, { displayName, description })),
});

/** Changes name and description. 409 for a taken name. */
export const updateUserGroup = ledgerOperation({
  ...requests.updateUserGroupRequest,
  apply(state, input, context) {
    const { display_name: displayName, description } = input.body;
    const fields = stated({ displayName, description });
    return groups.change(state, input, context, (before) => ({ ...before, ...fields }));
  },
});

/**
 * Removes a group that nothing names. 409, naming up to ten, while users or policies name it: a policy never loses its
 * subject silently.
 */
export const deleteUserGroup = ledgerOperation({
  ...requests.deleteUserGroupRequest,
  apply: (state, { params }) =>
    groups.remove(state, params, ({ id }) => {
      const users = referencesTo(state, id).slice(0, 10).join(', ');
      return users === ''
        ? undefined
        : refuse('resource_conflict', `the group is in use by ${users}`);
    }),
});

/** Ids of users and policies that name the group. */
function referencesTo(state: VaultState, groupId: string): string[] {
  const names = (subjects: Subjects | undefined) =>
    subjects?.userGroupIds.includes(groupId) === true;
  return [
    ...[...state.users.rows.values()].filter((user) => user.userGroupIds.includes(groupId)),
    ...[...state.adminPolicies.rows.values()].filter(
      ({ subjects, approvals }) => names(subjects) || names(approvals?.approvers),
    ),
    ...[...state.signingPolicies.rows.values()].filter((policy) =>
      policy.rules.some((rule) => {
        const { initiators } = rule.when;
        return (
          (initiators !== 'anyone' && names(initiators)) || names(approvalsOf(rule)?.approvers)
        );
      }),
    ),
  ].map((row) => row.id);
}
