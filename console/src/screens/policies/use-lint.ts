import { useQuery } from '@tanstack/react-query';
import type { KnownIds } from '@countersign/vault/operations/lint-rules.js';
import type { DraftFault, LintRules, RuleInput } from './policy-draft.js';
import { unreachableIn, type PlacedPolicy } from './policy-place.js';

/** The gateway's own check of rules. It is loaded where rules are shown; before it is there, it finds nothing. */
function useRuleChecks() {
  const { data } = useQuery({
    queryKey: ['the check of rules'],
    queryFn: () => import('@countersign/vault/operations/lint-rules.js'),
    staleTime: Infinity,
  });
  return data;
}

export function useLint(known: KnownIds): LintRules {
  const checks = useRuleChecks();
  return (rules) => checks?.lintRules(rules, known) ?? [];
}

/** Rules that the policies before theirs leave nothing to decide. The vault takes them: it is a warning. */
export function useUnreachable(
  rules: readonly RuleInput[],
  earlier: readonly PlacedPolicy[],
): readonly DraftFault[] {
  const checks = useRuleChecks();
  return checks === undefined ? [] : unreachableIn(rules, earlier, checks.findShadowed);
}
