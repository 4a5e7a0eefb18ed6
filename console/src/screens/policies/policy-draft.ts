/** A draft of a policy: its rules in order, edited before anything is sent. Every function gives a new draft. */
import { CONDITIONS } from '@countersign/api/conditions/conditions.js';
import type { Path } from '@countersign/core/shape-types.js';
import { faultText } from '@countersign/api/validate.js';
import { statedRules, type RuleBody } from '@countersign/api/policy-requests.js';
import type * as s from '@countersign/core/shapes.js';

/** As a request states it; `id` where the policy has it already. */
export type RuleInput = s.InputOf<typeof statedRules>[number];

export interface DraftRule {
  /** Tells it from the others for as long as it is on the page. */
  readonly key: string;
  readonly rule: RuleInput;
}

export type PolicyDraft = readonly DraftRule[];

/** What is wrong with a draft before anybody is asked; `index`: of the rule, absent where it is about them all. */
export interface DraftFault {
  readonly index?: number;
  readonly text: string;
}

/** Whoever adds a rule wants to allow something. It names nobody, so no draft with it is published before it does. */
const NEW_RULE: RuleInput = {
  display_name: 'New rule',
  enabled: true,
  when: { operations: ['sign'], initiators: { user_ids: [], user_group_ids: [] } },
  then: 'allow',
};

export function draftOf(rules: readonly RuleInput[]): PolicyDraft {
  return rules.map((rule) => ({ key: rule.id ?? crypto.randomUUID(), rule }));
}

/** As it is sent. */
export function rulesOfDraft(draft: PolicyDraft): RuleInput[] {
  return draft.map(({ rule }) => rule);
}

/** `to` beyond an end is that end. */
export function withRuleMoved(draft: PolicyDraft, key: string, to: number): PolicyDraft {
  const from = draft.findIndex((one) => one.key === key);
  const moved = draft[from];
  if (moved === undefined) return draft;
  const others = draft.toSpliced(from, 1);
  return others.toSpliced(Math.min(Math.max(to, 0), others.length), 0, moved);
}

export function newRule(): DraftRule {
  return { key: crypto.randomUUID(), rule: NEW_RULE };
}

/** Last of those that can decide: above a rule that denies all the rest. */
export function withRuleAdded(draft: PolicyDraft, added: DraftRule): PolicyDraft {
  const end = draft.findIndex(({ rule }) => deniesTheRest(rule));
  return draft.toSpliced(end === -1 ? draft.length : end, 0, added);
}

/** Off as well as on: it may be turned on. */
export function deniesTheRest({ when, then }: RuleInput): boolean {
  const { operations, initiators = 'anyone', ...narrower } = when;
  const isOfAll = initiators === 'anyone' && operations?.includes('sign') !== false;
  return then === 'deny' && isOfAll && Object.values(narrower).every((one) => one === undefined);
}

export function withRuleChanged(draft: PolicyDraft, key: string, rule: RuleInput): PolicyDraft {
  return draft.map((one) => (one.key === key ? { key, rule } : one));
}

export function withoutRule(draft: PolicyDraft, key: string): PolicyDraft {
  return draft.filter((one) => one.key !== key);
}

/** To replace rules that it was not begun from: a rule that these do not have any more is a new one. */
export function draftOver(draft: PolicyDraft, rules: readonly RuleInput[]): PolicyDraft {
  const known = new Set(rules.map(({ id }) => id));
  return draft.map(({ key, rule }) => {
    const { id, ...rest } = rule;
    return { key, rule: known.has(id) ? rule : rest };
  });
}

/** What a gateway would refuse in rules of the right form; `index`: of the rule. */
export type LintRules = (rules: RuleBody[]) => DraftFault[];

/** Of its form; where that is right, what `lint` finds. What needs the vault's state, the vault says. */
export function faultsOfDraft(draft: PolicyDraft, lint: LintRules): DraftFault[] {
  const rules = rulesOfDraft(draft);
  const parsed = statedRules.read(rules);
  if ('value' in parsed) return lint(parsed.value);
  return parsed.issues.map((issue) => {
    const [index, ...path] = issue.path;
    if (typeof index !== 'number') return { text: faultText(issue) };
    return { index, text: faultText({ ...issue, path: namedPath(path) }) };
  });
}

/** A condition is called what the form calls it. */
function namedPath(path: Path): Path {
  const [part, name, ...rest] = path;
  const condition = part === 'when' ? CONDITIONS.find((one) => one.name === name) : undefined;
  return condition === undefined ? path : [condition.words.label, ...rest];
}
