/**
 * Which security groups a key or wallet is in: those that name it, and those whose selector fits its labels. Labels
 * never change, so nothing leaves or joins a group except by a change of the group.
 */
import type { MemberType } from '@countersign/core/vocabulary.js';
import { labelMark } from '../state/label-marks.js';
import type { Key, Labels, SecurityGroup, VaultState, Wallet } from '../state/state.js';

/** The fields that a selector looks at. */
export interface Selectable {
  readonly type: MemberType;
  readonly labels: Labels;
  /** The vault that a wallet is in. */
  readonly vaultId?: string | undefined;
}

/**
 * `memberId`: the wallet's or key's id as security groups name it. Groups that name it come first, in order of
 * joining.
 */
export function groupIdsOf(state: VaultState, memberId: string): readonly string[] {
  const named = state.securityGroups.indexes.byMember.get(memberId) ?? [];
  const member = findSelectable(state, memberId);
  if (member === undefined) return named;
  const selecting = selectingGroupIds(state, member).filter((id) => !named.includes(id));
  return selecting.length === 0 ? named : [...named, ...selecting];
}

/** The groups whose selector fits. Costs a look-up for each label. */
export function selectingGroupIds(
  { securityGroups: { rows, indexes } }: VaultState,
  member: Selectable,
): string[] {
  return Object.entries(member.labels).flatMap(([name, value]) =>
    (indexes.bySelector.get(labelMark(name, value)) ?? []).filter((id) => {
      const group = rows.get(id);
      return group !== undefined && isSelected(group, member);
    }),
  );
}

/** A group that is limited to vaults takes only wallets in them, whatever their labels. */
export function isSelected(
  { selector, vaultIds }: Pick<SecurityGroup, 'selector' | 'vaultIds'>,
  { type, labels, vaultId }: Selectable,
): boolean {
  if (selector === undefined || !selector.types.includes(type)) return false;
  const isInScope = vaultIds === null || (vaultId !== undefined && vaultIds.includes(vaultId));
  return (
    isInScope &&
    Object.entries(selector.labels).every(
      ([name, value]) => Object.hasOwn(labels, name) && labels[name] === value,
    )
  );
}

/** Undefined if no selector can select it: a wallet's own key, and what does not exist. */
function findSelectable({ wallets, keys }: VaultState, id: string): Selectable | undefined {
  const wallet = wallets.rows.get(id);
  if (wallet !== undefined) return selectableWallet(wallet);
  const key = keys.rows.get(id);
  return key === undefined || key.walletId !== null ? undefined : selectableKey(key);
}

export function selectableKey({ labels }: Pick<Key, 'labels'>): Selectable {
  return { type: 'key', labels };
}

function selectableWallet({ labels = {}, vaultId }: Wallet): Selectable {
  return { type: 'wallet', labels, vaultId };
}
