import {
  createUserGroupRequest,
  deleteUserGroupRequest,
  updateUserGroupRequest,
} from '@countersign/api/requests/users.js';
import { isRefusal, refuse } from '@countersign/core/errors.js';
import { approvalsOf } from '../policy/signing-rights.js';
import type { Subjects, VaultState } from '../state/state.js';
import { deleteRow, insertRow, replaceRow } from '../state/table.js';
import { findRow, refuseTakenName, newStamps, updatedStamps } from './lookups.js';
import { ledgerOperation, type Subject } from './ledger-operation.js';

/** Adds a group without members. 409 for a taken name. */
export const createUserGroup = ledgerOperation({
  ...createUserGroupRequest,
  apply(state, { body }, context) {
    const taken = refuseTakenName(state.userGroups, body.display_name);
    if (taken !== undefined) return taken;
    const group = {
      id: context.newId('user-group'),
      displayName: body.display_name,
      description: body.description ?? null,
      ...newStamps(context),
    };
    return {
      state: { ...state, userGroups: insertRow(state.userGroups, group) },
      subject: subjectOf(group.id),
    };
  },
});

/** Changes name and description. 409 for a taken name. */
export const updateUserGroup = ledgerOperation({
  ...updateUserGroupRequest,
  apply(state, { params, body }, context) {
    const before = findRow(state.userGroups, params['group_id']);
    if (isRefusal(before)) return before;
    const taken = refuseTakenName(state.userGroups, body.display_name, before.id);
    if (taken !== undefined) return taken;
    const group = {
      ...before,
      displayName: body.display_name,
      description: body.description === undefined ? before.description : body.description,
      ...updatedStamps(context),
    };
    return {
      state: { ...state, userGroups: replaceRow(state.userGroups, group) },
      subject: subjectOf(group.id),
    };
  },
});

/**
 * Removes a group that nothing names. 409, naming up to ten, while users or policies name it: a policy never loses its
 * subject silently.
 */
export const deleteUserGroup = ledgerOperation({
  ...deleteUserGroupRequest,
  apply(state, { params }) {
    const group = findRow(state.userGroups, params['group_id']);
    if (isRefusal(group)) return group;
    const users = referencesTo(state, group.id);
    if (users.length > 0) {
      return refuse('resource_conflict', `the group is in use by ${users.slice(0, 10).join(', ')}`);
    }
    return {
      state: { ...state, userGroups: deleteRow(state.userGroups, group.id) },
      subject: subjectOf(group.id),
    };
  },
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

function subjectOf(id: string): Subject {
  return { resourceType: 'user_group', resourceIds: [id] };
}
