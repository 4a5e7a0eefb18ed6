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

/** The group's policies in their order with the draft in its place; undefined until they are known. */
export function useGroupWithDraft(
  policy: SigningPolicy,
  rules: RuleInput[],
): DraftPolicy[] | undefined {
  const query = { limit: '100', security_group_id: policy.security_group_id };
  const { rows, query: list } = useRows('list-signing-policies', { query });
  if (!list.isSuccess) return undefined;
  return rows
    .toSorted((a, b) => a.position - b.position)
    .map((one) => ({
      display_name: one.display_name,
      rules: one.id === policy.id ? rules : one.rules,
    }));
}
