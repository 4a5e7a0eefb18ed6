/** A rule as the fields of a form, and back. */
import type {
  BoundWords,
  LimitWords,
  ListWords,
} from '@countersign/api/conditions/condition-words.js';
import { CONDITIONS } from '@countersign/api/conditions/conditions.js';
import { limitFormOf, limitOf, type Limit, type LimitForm } from './limit-form.js';
import type { RuleInput } from './policy-draft.js';
import { timeFormOf, timeOf, type TimeForm, type TimeWindow } from './time-form.js';

export type Outcome = 'allow' | 'deny' | 'approvals';
export type Who = 'unstated' | 'anyone' | 'named';

export interface BoundTexts {
  readonly min: string;
  readonly max: string;
}

/** `lists`, `bounds`, `limits`, `times`, `addressLists`: by the condition's name. */
export interface RuleForm {
  readonly name: string;
  readonly isEnabled: boolean;
  readonly outcome: Outcome;
  readonly quorum: string;
  readonly approvers: readonly string[];
  readonly who: Who;
  /** Ids of users and groups. */
  readonly initiators: readonly string[];
  /** Texts of the conditions that are lists, one word to a line or after a comma. */
  readonly lists: Readonly<Record<string, string>>;
  readonly bounds: Readonly<Record<string, BoundTexts>>;
  readonly limits: Readonly<Record<string, LimitForm>>;
  readonly times: Readonly<Record<string, TimeForm>>;
  /** Ids of address lists. */
  readonly addressLists: Readonly<Record<string, readonly string[]>>;
}

/** A condition with its fields in the form. */
interface FormCondition<Words> {
  readonly name: string;
  readonly words: Words;
}

export const LISTS: readonly FormCondition<ListWords>[] = CONDITIONS.flatMap(({ name, words }) =>
  words.form === 'list' ? [{ name, words }] : [],
);
export const BOUNDS: readonly FormCondition<BoundWords>[] = CONDITIONS.flatMap(({ name, words }) =>
  words.form === 'bounds' ? [{ name, words }] : [],
);
export const LIMITS: readonly FormCondition<LimitWords>[] = CONDITIONS.flatMap(({ name, words }) =>
  words.form === 'limit' ? [{ name, words }] : [],
);
export const ADDRESS_LISTS = CONDITIONS.filter(({ words }) => words.form === 'address lists');
export const TIMES = CONDITIONS.filter(({ words }) => words.form === 'time');

const NO_BOUNDS: BoundTexts = { min: '', max: '' };

export function formOf({ display_name: name, enabled = true, when, then }: RuleInput): RuleForm {
  const approvals = typeof then === 'object' ? then.require_approvals : undefined;
  const { initiators } = when;
  const stated: Readonly<Record<string, unknown>> = when;
  return {
    name,
    isEnabled: enabled,
    outcome: typeof then === 'object' ? 'approvals' : then,
    quorum: String(approvals?.quorum ?? 1),
    approvers: idsOf(approvals),
    who: initiators === undefined ? 'unstated' : initiators === 'anyone' ? 'anyone' : 'named',
    initiators: typeof initiators === 'object' ? idsOf(initiators) : [],
    lists: byName(LISTS, (name) => ((stated[name] ?? []) as readonly string[]).join('\n')),
    bounds: byName(BOUNDS, (name) => boundTexts(stated[name] as Partial<BoundTexts> | undefined)),
    limits: byName(LIMITS, (name) => limitFormOf(stated[name] as Limit | undefined)),
    addressLists: byName(ADDRESS_LISTS, (name) => (stated[name] ?? []) as readonly string[]),
    times: byName(TIMES, (name) => timeFormOf(stated[name] as TimeWindow | undefined)),
  };
}

/** Users and groups that a rule names: who asks, and who approves. */
export function subjectsNamedIn({ when, then }: RuleInput): {
  userIds: string[];
  groupIds: string[];
} {
  const named: Subjects[] = [
    ...(typeof when.initiators === 'object' ? [when.initiators] : []),
    ...(typeof then === 'object' ? [then.require_approvals] : []),
  ];
  return {
    userIds: named.flatMap((subjects) => subjects.user_ids ?? []),
    groupIds: named.flatMap((subjects) => subjects.user_group_ids ?? []),
  };
}

/** `knownGroups`: ids; groups that the rule named before are groups as well. What is wrong is found when the draft is checked. */
export function ruleOf(
  form: RuleForm,
  knownGroups: ReadonlySet<string>,
  before: RuleInput,
): RuleInput {
  const groupIds = new Set([...knownGroups, ...subjectsNamedIn(before).groupIds]);
  const { name, isEnabled, who } = form;
  const lists = LISTS.flatMap(({ name: field }) => {
    const words = wordsOf(form.lists[field]);
    return words.length === 0 ? [] : [[field, words] as const];
  });
  const bounds = BOUNDS.flatMap(({ name: field }) => {
    const { min, max } = form.bounds[field] ?? NO_BOUNDS;
    if (min === '' && max === '') return [];
    return [[field, { ...(min !== '' && { min }), ...(max !== '' && { max }) }] as const];
  });
  const when = {
    ...(who === 'anyone' && { initiators: 'anyone' }),
    ...(who === 'named' && { initiators: subjectsOf(form.initiators, groupIds) }),
    ...Object.fromEntries(lists),
    ...Object.fromEntries(bounds),
    ...stated(form.limits, limitOf),
    ...stated(form.times, timeOf),
    ...stated(form.addressLists, (ids) => (ids.length === 0 ? undefined : ids)),
  } as RuleInput['when'];
  return {
    ...(before.id !== undefined && { id: before.id }),
    display_name: name,
    enabled: isEnabled,
    when,
    then: outcomeOf(form, groupIds, before),
  };
}

function outcomeOf(
  { outcome, quorum, approvers }: RuleForm,
  groupIds: ReadonlySet<string>,
  before: RuleInput,
): RuleInput['then'] {
  if (outcome !== 'approvals') return outcome;
  const kept = typeof before.then === 'object' ? before.then.require_approvals : {};
  return {
    require_approvals: { ...kept, quorum: Number(quorum), ...subjectsOf(approvers, groupIds) },
  };
}

interface Subjects {
  readonly user_ids?: readonly string[] | undefined;
  readonly user_group_ids?: readonly string[] | undefined;
}

function idsOf(subjects: Subjects | undefined): string[] {
  return [...(subjects?.user_group_ids ?? []), ...(subjects?.user_ids ?? [])];
}

function subjectsOf(
  ids: readonly string[],
  groupIds: ReadonlySet<string>,
): { user_ids: string[]; user_group_ids: string[] } {
  return {
    user_ids: ids.filter((id) => !groupIds.has(id)),
    user_group_ids: ids.filter((id) => groupIds.has(id)),
  };
}

/** As somebody writes a list: one to a line, or after a comma. */
export function wordsOf(text = ''): string[] {
  return text
    .split(/[\n,]/)
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** Of those that say something. */
function stated<Form>(
  forms: Readonly<Record<string, Form>>,
  statedBy: (form: Form) => unknown,
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(forms).map(([name, form]) => [name, statedBy(form)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function boundTexts({ min = '', max = '' }: Partial<BoundTexts> = NO_BOUNDS): BoundTexts {
  return { min, max };
}

function byName<Value>(
  conditions: readonly { readonly name: string }[],
  valueOf: (name: string) => Value,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(conditions.map(({ name }) => [name, valueOf(name)]));
}
