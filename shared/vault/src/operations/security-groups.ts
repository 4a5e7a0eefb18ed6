import * as requests from '@countersign/api/policy-requests.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type * as s from '@countersign/core/shapes.js';
import type { labelSelector } from '@countersign/api/requests/labels.js';
import { MEMBER_TYPES, type MemberType } from '@countersign/core/vocabulary.js';
import type { Key, SecurityGroup, VaultState } from '../state/state.js';
import { replaceRow } from '../state/table.js';
import { noSuchResource, requireKnown, updatedStamps } from './lookups.js';
import { ledgerOperation, type ApplyContext, type Applied } from './ledger-operation.js';
import type { Input } from './operation-input.js';
import { RowKind, stated } from './row-kind.js';
import { vaultsOfGroup } from './signing-policies.js';

const MAX_MEMBERS = 100_000;
const TOO_MANY_MEMBERS = refuse('invalid_inputs', 'too many members');
const OUTSIDE = refuse('invalid_inputs', "members: a member lies outside the group's vaults");

type Member = SecurityGroup['members'][number];

const groups = new RowKind('securityGroups', {
  what: 'group',
  resourceType: 'security_group',
  vaultsOf: ({ vaultIds }) => (vaultIds === null ? {} : { vaultIds }),
});

/**
 * Adds a group, with members if the body has any. 409 for a taken name; 422 for a vault or member that does not exist,
 * and for whatever {@link putSecurityGroupMember} refuses. A new group has no rules yet that a member could break.
 */
export const createSecurityGroup = ledgerOperation({
  ...requests.createSecurityGroupRequest,
  vaultIds: (_state, { body }) => body.vault_ids ?? [],
  apply(state, { body }, context) {
    const fault = requireKnown(state.vaults, body.vault_ids ?? [], 'vault');
    if (fault !== undefined) return fault;
    const group = groups.newRow(context, {
      displayName: body.display_name,
      vaultIds: body.vault_ids ?? null,
      members: [],
      ...selectorField(body.selector),
      signingPolicyIds: [],
    });
    const made = groups.insert(state, group);
    if (isRefusal(made)) return made;
    return changeMembers(made.state, group, { add: body.members ?? [], remove: [] }, context);
  },
});

/**
 * Changes name and selector; named members and policies have operations of their own. 422 for a selector that
 * selects a key for whose venue a rule of the group could not hold.
 */
export const updateSecurityGroup = ledgerOperation({
  ...requests.updateSecurityGroupRequest,
  vaultIds: groupVaults,
  apply: (state, input, context) =>
    groups.change(state, input, context, (before) => {
      const { display_name: displayName, selector } = input.body;
      const { selector: _replaced, ...others } = before;
      const kept = selector === undefined ? before : { ...others, ...selectorField(selector) };
      return { ...kept, ...stated({ displayName }) };
    }),
});

/** Removes a group without signing policies; its members leave it. 409, naming up to ten, while it has policies. */
export const deleteSecurityGroup = ledgerOperation({
  ...requests.deleteSecurityGroupRequest,
  vaultIds: groupVaults,
  apply: (state, { params }) =>
    groups.remove(state, params, ({ signingPolicyIds }) => {
      const ids = signingPolicyIds.slice(0, 10).join(', ');
      return ids === ''
        ? undefined
        : refuse('resource_conflict', `the group has signing policies: ${ids}`);
    }),
});

/**
 * Makes one key or wallet a member; a member stays one. 422 for a wallet's own key, a key that is not active, and a
 * member outside the group's vaults. It is also 422 for a key for whose venue a rule of the group could not hold.
 */
export const putSecurityGroupMember = ledgerOperation({
  ...requests.putSecurityGroupMemberRequest,
  vaultIds: groupVaults,
  apply(state, { params, body }, context) {
    const group = groups.find(state, params);
    if (isRefusal(group)) return group;
    const memberId = params['member_id'] ?? '';
    const memberType = body.member_type ?? typeOf(state, memberId);
    if (memberType === undefined) return noSuchResource(memberId);
    const add = [{ member_id: memberId, member_type: memberType }];
    return changeMembers(state, group, { add, remove: [] }, context);
  },
});

/**
 * Removes and adds members in one step. 404 for a removal of who is no member. If one change is refused, none is made.
 */
export const patchSecurityGroupMembers = ledgerOperation({
  ...requests.patchSecurityGroupMembersRequest,
  vaultIds: groupVaults,
  apply(state, { params, body }, context) {
    const change = { add: body.add ?? [], remove: body.remove ?? [] };
    return changeMembers(state, groups.find(state, params), change, context);
  },
});

/** Takes members out. 404, changing nothing, when one of them is no member. */
export const deleteSecurityGroupMembers = ledgerOperation({
  ...requests.deleteSecurityGroupMembersRequest,
  vaultIds: groupVaults,
  apply(state, { params, query }, context) {
    const change = { add: [], remove: query.member_ids };
    return changeMembers(state, groups.find(state, params), change, context);
  },
});

interface MemberChange {
  readonly add: readonly { member_id: string; member_type: MemberType }[];
  readonly remove: readonly string[];
}

function changeMembers(
  state: VaultState,
  group: SecurityGroup | Refusal,
  change: MemberChange,
  context: ApplyContext,
): Applied | Refusal {
  if (isRefusal(group)) return group;
  const remove = new Set(change.remove);
  if ([...remove].some((id) => !group.members.some((member) => member.id === id))) {
    return refuse('resource_not_found', 'no such member');
  }
  const kept = group.members.filter((member) => !remove.has(member.id));
  const added: Member[] = [];
  for (const { member_id: id, member_type: type } of change.add) {
    const fault = findMemberFault(state, group, { id, type });
    if (fault !== undefined) return fault;
    if (![...kept, ...added].some((member) => member.id === id)) added.push({ id, type });
  }
  if (kept.length + added.length > MAX_MEMBERS) return TOO_MANY_MEMBERS;
  const after = { ...group, members: [...kept, ...added], ...updatedStamps(context) };
  // in two steps: a member that is taken out and put back joins anew, behind its other groups
  const shrunk = replaceRow(state.securityGroups, { ...group, members: kept });
  return {
    state: { ...state, securityGroups: replaceRow(shrunk, after) },
    subject: groups.about(state, after),
  };
}

function findMemberFault(
  state: VaultState,
  group: SecurityGroup,
  member: Member,
): Refusal | undefined {
  if (typeOf(state, member.id) !== member.type) {
    return refuse('invalid_inputs', `members: no such ${member.type}`);
  }
  if (member.type === 'key') return findKeyFault(state, group, state.keys.rows.get(member.id)!);
  if (group.vaultIds === null) return undefined;
  const vaultId = state.wallets.rows.get(member.id)?.vaultId ?? '';
  return group.vaultIds.includes(vaultId) ? undefined : OUTSIDE;
}

function findKeyFault(state: VaultState, group: SecurityGroup, key: Key): Refusal | undefined {
  if (key.walletId !== null) {
    return refuse('invalid_inputs', "members: add the wallet, not the wallet's key");
  }
  if (key.status !== 'active') return refuse('invalid_inputs', 'members: the key is not active');
  return group.vaultIds === null ? undefined : OUTSIDE;
}

type SelectorBody = s.OutputOf<typeof labelSelector>;

/** Absent for none, since a group that selects nothing has no such field. */
export function selectorField(
  body: SelectorBody | null | undefined,
): Pick<SecurityGroup, 'selector'> | undefined {
  return body == null
    ? undefined
    : { selector: { labels: body.labels, types: body.types ?? MEMBER_TYPES } };
}

function typeOf(state: VaultState, memberId: string): MemberType | undefined {
  if (state.wallets.rows.has(memberId)) return 'wallet';
  return state.keys.rows.has(memberId) ? 'key' : undefined;
}

function groupVaults(state: VaultState, { params }: Input<unknown, unknown>): readonly string[] {
  return vaultsOfGroup(state, params['group_id'] ?? '');
}
