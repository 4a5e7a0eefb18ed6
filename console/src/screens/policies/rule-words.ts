/** A rule as somebody says it. */
import type { ConditionWords } from '@countersign/api/conditions/condition-words.js';
import { CONDITIONS } from '@countersign/api/conditions/conditions.js';
import { limitWords, type Limit } from './limit-form.js';
import type { RuleInput } from './policy-draft.js';
import { assetsOfRule, unitOf, type NamedAssets } from './rule-units.js';

/** Names of users, groups and address lists by id; what is not in it is told by its id. */
export type Names = ReadonlyMap<string, string>;

interface Subjects {
  readonly user_ids?: readonly string[] | undefined;
  readonly user_group_ids?: readonly string[] | undefined;
}

interface Bounds {
  readonly min?: string | undefined;
  readonly max?: string | undefined;
}

export function outcomeWords(then: RuleInput['then'], names: Names): string {
  if (then === 'allow') return 'Allow';
  if (then === 'deny') return 'Deny';
  const { quorum } = then.require_approvals;
  return `Ask for ${quorum} approval${quorum === 1 ? '' : 's'} of ${subjectWords(then.require_approvals, names)}`;
}

/** One line for each condition; none: it decides about everything that it covers. */
export function conditionWords(when: RuleInput['when'], names: Names): string[] {
  const stated: Readonly<Record<string, unknown>> = when;
  const assets = assetsOfRule(when);
  return CONDITIONS.flatMap(({ name, words }) =>
    stated[name] === undefined
      ? []
      : [`${words.label}: ${wordsOf(words, stated[name], assets, names)}`],
  );
}

function wordsOf(
  words: ConditionWords,
  stated: unknown,
  assets: NamedAssets,
  names: Names,
): string {
  switch (words.form) {
    case 'list':
      return listWords(stated as readonly string[]);
    case 'bounds':
      return `${boundWords(stated as Bounds)} ${unitOf(words.unit, assets)}`;
    case 'limit':
      return limitWords(stated as Limit, words, assets);
    case 'address lists':
      return listWords((stated as readonly string[]).map((id) => names.get(id) ?? id));
    default:
      return words.say(stated) ?? subjectWords(stated as Subjects, names);
  }
}

export function subjectWords(subjects: Subjects, names: Names): string {
  const nameOf = (id: string) => names.get(id) ?? id;
  const groups = (subjects.user_group_ids ?? []).map((id) => `group ${nameOf(id)}`);
  return [...groups, ...(subjects.user_ids ?? []).map(nameOf)].join(', ') || 'nobody';
}

const MOST_SHOWN = 6;

function listWords(values: readonly string[]): string {
  const more = values.length - MOST_SHOWN;
  return values.slice(0, MOST_SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function boundWords({ min, max }: Bounds): string {
  if (min === undefined) return `at most ${max}`;
  return max === undefined ? `at least ${min}` : `${min} to ${max}`;
}
