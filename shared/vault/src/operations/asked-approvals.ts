/** Converts the approvals that a policy asks for, between request and state. */
import type { AskedApprovals, Subjects } from '../state/state.js';

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
