import { useQuery } from '@tanstack/react-query';
import type { KnownIds } from '@countersign/vault/operations/lint-rules.js';
import type { LintRules } from './policy-draft.js';

/** The gateway's own check of rules. It is loaded where a draft is written; before it is there, it finds nothing. */
export function useLint(known: KnownIds): LintRules {
  const { data } = useQuery({
    queryKey: ['the check of rules'],
    queryFn: async () => (await import('@countersign/vault/operations/lint-rules.js')).lintRules,
    staleTime: Infinity,
  });
  return (rules) => data?.(rules, known) ?? [];
}
