/** What the screens of rights ask of the vault. */
import { useAllRows, type Rows } from '../../vault/vault-queries.js';
import { MOST, useUsersById, type Subject } from '../policies/policy-queries.js';
import type { AdminPolicy, Names } from './right-words.js';

export interface Rights {
  readonly list: Rows<AdminPolicy>;
  readonly groups: readonly Subject[];
  readonly vaults: readonly Subject[];
  readonly names: Names;
}

export function useRights(): Rights {
  const list = useAllRows('list-admin-policies', { query: MOST });
  const { rows: groups } = useAllRows('list-user-groups', { query: MOST });
  const { rows: vaults } = useAllRows('list-vaults', { query: MOST });
  const users = useUsersById(
    list.rows.flatMap(({ subjects, approvals }) => [
      ...subjects.user_ids,
      ...(approvals?.user_ids ?? []),
    ]),
  );
  const names = new Map([...users, ...groups, ...vaults].map((one) => [one.id, one.display_name]));
  return { list, groups, vaults, names };
}
