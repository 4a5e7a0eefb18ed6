/** A rule as somebody says it. */
import { unitsOfRule } from './rule-units.js';
import type { RuleInput } from './policy-draft.js';

/** Names of users and groups by id; what is not in it is told by its id. */
export type Names = ReadonlyMap<string, string>;

interface Subjects {
  readonly user_ids?: readonly string[] | undefined;
  readonly user_group_ids?: readonly string[] | undefined;
}

interface Bounds {
  readonly min?: string | undefined;
  readonly max?: string | undefined;
}

/** Conditions that are lists of words, and what they are called. */
export const LIST_CONDITIONS = {
  venue_ids: 'Venues',
  operation_classes: 'Classes',
  symbols: 'Symbols',
  sides: 'Sides',
  endpoints: 'Endpoints',
  networks: 'Networks',
  assets: 'Assets',
  destinations: 'Destinations',
} as const;

export const BOUND_CONDITIONS = {
  amount: 'Amount',
  quote_amount: 'Quote amount',
  contracts: 'Contracts',
  usd_value: 'Value',
} as const;

export function outcomeWords(then: RuleInput['then'], names: Names): string {
  if (then === 'allow') return 'Allow';
  if (then === 'deny') return 'Deny';
  const { quorum } = then.require_approvals;
  return `Ask for ${quorum} approval${quorum === 1 ? '' : 's'} of ${subjectWords(then.require_approvals, names)}`;
}

/** One line for each condition; none: it decides about everything that it covers. */
export function conditionWords(when: RuleInput['when'], names: Names): string[] {
  const { operations, initiators, time, velocity } = when;
  const lists = Object.entries(LIST_CONDITIONS).flatMap(([field, label]) => {
    const values = when[field as keyof typeof LIST_CONDITIONS];
    return values === undefined ? [] : [`${label}: ${listWords(values)}`];
  });
  const units = unitsOfRule(when);
  const bounds = Object.entries(BOUND_CONDITIONS).flatMap(([name, label]) => {
    const field = name as keyof typeof BOUND_CONDITIONS;
    const value = when[field];
    return value === undefined ? [] : [`${label}: ${boundWords(value)} ${units[field]}`];
  });
  return [
    ...(initiators === undefined
      ? []
      : [`Asked by: ${initiators === 'anyone' ? 'anyone' : subjectWords(initiators, names)}`]),
    ...(operations === undefined ? [] : [`Operations: ${operations.join(', ')}`]),
    ...lists,
    ...bounds,
    ...(time === undefined
      ? []
      : [
          `Time: ${time.days?.join(', ') ?? 'every day'}, ${time.from ?? '00:00'} to ${time.to ?? '24:00'}, ${time.time_zone}`,
        ]),
    ...(velocity === undefined
      ? []
      : [
          `Limit: ${velocity.limit} ${velocity.unit} in ${velocity.window_s} s per ${velocity.per}`,
        ]),
  ];
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
