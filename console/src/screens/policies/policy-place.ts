/** A policy among the others of its group: where a new one goes, and which of its rules those before it leave nothing to. */
import { statedRules, type RuleBody } from '@countersign/api/policy-requests.js';
import type { Shadowed } from '@countersign/vault/operations/lint-rules.js';
import { visibleText } from '../../design/visible-text.js';
import { deniesTheRest, type DraftFault, type RuleInput } from './policy-draft.js';

export interface PlacedPolicy {
  readonly id: string;
  readonly display_name: string;
  readonly rules: readonly RuleInput[];
}

/**
 * Above the first policy that does nothing but deny all the rest, and last where there is none. Not above one that denies
 * something and then the rest: a new rule would come before what that denies.
 */
export function placeOfNew(inOrder: readonly PlacedPolicy[]): number {
  const end = inOrder.findIndex(
    ({ rules: [first] }) => first !== undefined && deniesTheRest(first),
  );
  return end === -1 ? inOrder.length : end;
}

/** What each rule that counts is called, and what it does. */
export function earlierRules(rules: readonly RuleInput[]): string[] {
  return rules
    .filter(({ enabled }) => enabled !== false)
    .map(({ display_name: name, then }) => `“${visibleText(name)}” ${outcomeOf(then)}`);
}

function outcomeOf(then: RuleInput['then']): string {
  if (then === 'deny') return 'denies';
  return then === 'allow' ? 'allows' : 'asks for approvals';
}

type FindShadowed = (
  bodies: readonly RuleBody[],
  earlier: readonly RuleBody[],
) => readonly Shadowed[];

/** Nothing of rules that are not right yet: what is wrong with them is said elsewhere. */
export function unreachableIn(
  rules: readonly RuleInput[],
  earlier: readonly PlacedPolicy[],
  findShadowed: FindShadowed,
): DraftFault[] {
  const bodies = bodiesOf(rules);
  const before = earlier.flatMap((policy) =>
    bodiesOf(policy.rules).map((rule) => ({ policy, rule })),
  );
  const found = findShadowed(
    bodies,
    before.map(({ rule }) => rule),
  );
  return found.map(({ index, by }) => {
    const { policy, rule } = before[by]!;
    const names = [rule.display_name, policy.display_name].map((name) => `“${visibleText(name)}”`);
    return {
      index,
      text: `This rule can never be reached: ${names.join(' of the policy ')} comes before it and decides every such request.`,
    };
  });
}

function bodiesOf(rules: readonly RuleInput[]): readonly RuleBody[] {
  const parsed = statedRules.read(rules);
  return 'value' in parsed ? parsed.value : [];
}
