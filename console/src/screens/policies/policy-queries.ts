/** What the policy screens ask of the vault. */
import type { OperationValue } from '@countersign/client/operation-calls.js';
import { useRead, useRows } from '../../vault/vault-queries.js';
import type { Names } from './rule-words.js';

export type SigningPolicy = OperationValue<'get-signing-policy'>;
export type SecurityGroup = OperationValue<'get-security-group'>;
export type Evaluation = OperationValue<'evaluate-signing-policies'>;

const MOST = { limit: '100' };

export interface Subject {
  readonly id: string;
  readonly display_name: string;
}

export interface Directory {
  readonly users: readonly Subject[];
  readonly groups: readonly Subject[];
  readonly names: Names;
}

/** The first hundred users and groups: whom rules are written about; others are told by their ids. */
export function useDirectory(): Directory {
  const { rows: users } = useRows('list-users', { query: MOST });
  const { rows: groups } = useRows('list-user-groups', { query: MOST });
  const names = new Map([...users, ...groups].map(({ id, display_name: name }) => [id, name]));
  return { users, groups, names };
}

export function usePolicy(policyId: string) {
  return useRead('get-signing-policy', { params: { policy_id: policyId } });
}
