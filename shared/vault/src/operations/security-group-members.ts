import type { VaultState } from '../state/state.js';
import { replaceRow } from '../state/table.js';

/** Takes a deleted wallet or key out of every security group. */
export function leaveSecurityGroups(state: VaultState, memberId: string): VaultState {
  const groupIds = state.securityGroups.indexes.byMember.get(memberId) ?? [];
  const securityGroups = groupIds.reduce((groups, groupId) => {
    const group = groups.rows.get(groupId)!;
    const members = group.members.filter((member) => member.id !== memberId);
    return replaceRow(groups, { ...group, members });
  }, state.securityGroups);
  return { ...state, securityGroups };
}
