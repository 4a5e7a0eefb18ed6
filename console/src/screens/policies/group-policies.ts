/** A draft of one policy among the others of its group: how evaluation and backtest are asked about it. */
import { useRows } from '../../vault/vault-queries.js';
import type { RuleInput } from './policy-draft.js';
import type { SigningPolicy } from './policy-queries.js';

export interface DraftPolicy {
  readonly display_name: string;
  readonly rules: RuleInput[];
}

export interface DraftProps {
  readonly policy: SigningPolicy;
  readonly rules: RuleInput[];
  /** Why it cannot be tried now; absent: it can. */
  readonly blocked: string | undefined;
}

/** The policies of a group in their order; undefined until they are known. */
export function usePoliciesOf(groupId: string): readonly SigningPolicy[] | undefined {
  const query = { limit: '100', security_group_id: groupId };
  const { rows, query: list } = useRows('list-signing-policies', { query });
  return list.isSuccess ? rows.toSorted((a, b) => a.position - b.position) : undefined;
}

/** With the draft in its place. */
export function useGroupWithDraft(
  policy: SigningPolicy,
  rules: RuleInput[],
): DraftPolicy[] | undefined {
  return usePoliciesOf(policy.security_group_id)?.map((one) => ({
    display_name: one.display_name,
    rules: one.id === policy.id ? rules : one.rules,
  }));
}

/** Those that decide before this one. */
export function usePoliciesBefore(policy: SigningPolicy): readonly SigningPolicy[] {
  const all = usePoliciesOf(policy.security_group_id) ?? [];
  return all.filter(({ position }) => position < policy.position);
}
