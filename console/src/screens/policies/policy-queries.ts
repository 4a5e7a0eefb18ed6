/** What the policy screens ask of the vault. */
import type { OperationValue } from '@countersign/client/operation-calls.js';
import { useAllRows, useRead, useRows } from '../../vault/vault-queries.js';
import type { RuleInput } from './policy-draft.js';
import { subjectsNamedIn } from './rule-fields.js';
import type { Names } from './rule-words.js';

export type SigningPolicy = OperationValue<'get-signing-policy'>;
export type SecurityGroup = OperationValue<'get-security-group'>;
export type Evaluation = OperationValue<'evaluate-signing-policies'>;

type User = OperationValue<'list-users'>['results'][number];

export const MOST = { limit: '100' };

export interface Subject {
  readonly id: string;
  readonly display_name: string;
}

/** Whom rules are written about. Users are looked for by name: there may be thousands. */
export interface Directory {
  readonly groups: readonly Subject[];
  readonly addressLists: readonly Subject[];
  readonly names: Names;
}

/** A query names at most so many ids. */
export const MOST_IDS = 100;

/** All groups and address lists, and the users that the rules name; what is not among them is told by its id. */
export function useDirectory(rules: readonly RuleInput[]): Directory {
  const { rows: groups } = useAllRows('list-user-groups', { query: MOST });
  const { rows: addressLists } = useAllRows('list-address-lists', { query: MOST });
  const users = useUsersById(rules.flatMap((rule) => subjectsNamedIn(rule).userIds));
  const named = [...users, ...groups, ...addressLists];
  const names = new Map(named.map(({ id, display_name: name }) => [id, name]));
  return { groups, addressLists, names };
}

/** Those of the ids that are users', at most a hundred. */
export function useUsersById(ids: readonly string[]): readonly User[] {
  const wanted = [...new Set(ids)].toSorted().slice(0, MOST_IDS);
  const query = { ...MOST, user_ids: wanted.join(',') };
  return useRows('list-users', { query }, { isWanted: wanted.length > 0 }).rows;
}

/**
 * How many of these users, and of the members of these groups, can sign already; undefined while that is not known, and where
 * there are too many to count.
 */
export function useActiveAmong(
  userIds: readonly string[],
  groupIds: readonly string[],
): number | undefined {
  const query = { ...MOST, is_in_groups: groupIds.toSorted().join(',') };
  const hasGroups = groupIds.length > 0;
  const members = useRows('list-users', { query }, { isWanted: hasGroups });
  const named = useUsersById(userIds);
  const isKnown = !hasGroups || (members.query.isSuccess && !members.query.hasNextPage);
  if (!isKnown || named.length < userIds.length) return undefined;
  const active = [...members.rows, ...named].filter(({ status }) => status === 'active');
  return new Set(active.map(({ id }) => id)).size;
}

/** Users by a part of their name, the first hundred. */
export function useUsersNamed(part: string): readonly Subject[] {
  const query = part === '' ? MOST : { ...MOST, display_name_like: part };
  return useRows('list-users', { query }).rows;
}

export function usePolicy(policyId: string) {
  return useRead('get-signing-policy', { params: { policy_id: policyId } });
}
