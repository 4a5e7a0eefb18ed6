/** Converts the users and approvals that a policy names, from the request's form to the state's. */
import type { Refusal } from '@countersign/core/errors.js';
import type { AskedApprovals, Subjects, VaultState } from '../state/state.js';
import { requireKnown } from './lookups.js';

interface SubjectsBody {
  readonly user_ids?: readonly string[] | undefined;
  readonly user_group_ids?: readonly string[] | undefined;
}

interface ApprovalsBody extends SubjectsBody {
  readonly quorum: number;
  readonly expires_in_s?: number | undefined;
}

const DEFAULT_EXPIRY_S = 24 * 3_600;

export function askedApprovals(body: ApprovalsBody): AskedApprovals {
  return {
    quorum: body.quorum,
    approvers: subjectsOf(body),
    expiresInMs: (body.expires_in_s ?? DEFAULT_EXPIRY_S) * 1_000,
  };
}

export function subjectsOf(body: SubjectsBody): Subjects {
  return { userIds: body.user_ids ?? [], userGroupIds: body.user_group_ids ?? [] };
}

/** 422 unless all that it names exist. */
export function requireSubjects(
  state: VaultState,
  { user_ids: userIds = [], user_group_ids: userGroupIds = [] }: SubjectsBody,
): Refusal | undefined {
  return (
    requireKnown(state.users, userIds, 'user') ??
    requireKnown(state.userGroups, userGroupIds, 'user group')
  );
}
