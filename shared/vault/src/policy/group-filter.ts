import type { VaultState } from '../state/state.js';
import { groupIdsOf } from './group-membership.js';

/** Whether it is in the group; true if no group is named. */
export function isInGroup(
  state: VaultState,
  memberId: string,
  groupId: string | undefined,
): boolean {
  return groupId === undefined || groupIdsOf(state, memberId).includes(groupId);
}
