/** What differs between two versions of a policy, rule by rule. */
import type { RuleInput } from './policy-draft.js';

export interface FieldChange {
  /** E.g. `when.symbols`. */
  readonly field: string;
  /** JSON; absent: it was not stated. */
  readonly before?: string;
  readonly after?: string;
}

export interface RuleChange {
  readonly kind: 'added' | 'removed' | 'kept';
  readonly name: string;
  /** Places from 1. */
  readonly from?: number;
  readonly to?: number;
  /** Whether it stands elsewhere among the rules that both have. */
  readonly isMoved: boolean;
  readonly fields: readonly FieldChange[];
}

/** In the order of `after`, what was removed last; rules that are as they were are left out. */
export function policyDiff(
  before: readonly RuleInput[],
  after: readonly RuleInput[],
): RuleChange[] {
  const beforeById = new Map(before.map((rule, index) => [rule.id, index]));
  const indexBefore = ({ id }: RuleInput) => (id === undefined ? undefined : beforeById.get(id));
  const keptBefore = after.map(indexBefore).filter((index) => index !== undefined);
  const inOrder = stayedInOrder(keptBefore);
  const changes = after.map((rule, index): RuleChange => {
    const at = indexBefore(rule);
    const name = rule.display_name;
    if (at === undefined) {
      return { kind: 'added', name, to: index + 1, isMoved: false, fields: fieldChanges({}, rule) };
    }
    const fields = fieldChanges(before[at]!, rule);
    return { kind: 'kept', name, from: at + 1, to: index + 1, isMoved: !inOrder.has(at), fields };
  });
  const kept = new Set(keptBefore);
  const removed = before.flatMap((rule, index): RuleChange[] =>
    kept.has(index)
      ? []
      : [
          {
            kind: 'removed',
            name: rule.display_name,
            from: index + 1,
            isMoved: false,
            fields: fieldChanges(rule, {}),
          },
        ],
  );
  const isChange = (change: RuleChange) =>
    change.kind !== 'kept' || change.isMoved || change.fields.length > 0;
  return [...changes, ...removed].filter(isChange);
}

function fieldChanges(before: Partial<RuleInput>, after: Partial<RuleInput>): FieldChange[] {
  const [left, right] = [fieldsOf(before), fieldsOf(after)];
  const names = [...new Set([...left.keys(), ...right.keys()])];
  return names.flatMap((field) => {
    const [was, is] = [left.get(field), right.get(field)];
    if (was === is) return [];
    return [
      { field, ...(was !== undefined && { before: was }), ...(is !== undefined && { after: is }) },
    ];
  });
}

function fieldsOf({ when = {}, id: _id, ...rest }: Partial<RuleInput>): Map<string, string> {
  const stated = [
    ...Object.entries(rest),
    ...Object.entries(when).map(([name, value]) => [`when.${name}`, value] as const),
  ].filter(([, value]) => value !== undefined);
  return new Map(stated.map(([name, value]) => [name, sortedJson(value)]));
}

/** The same text for the same value, in whatever order its fields were written. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(
          Object.entries(inner).toSorted(([left], [right]) => (left < right ? -1 : 1)),
        )
      : inner,
  );
}

/**
 * Those that surely stayed: all others were moved, or one of them was. Where two rules change places nobody can tell
 * which was moved, and each now decides before or after the other: so both are told.
 */
function stayedInOrder(places: readonly number[]): ReadonlySet<number> {
  const before = riseLengths(places);
  const after = riseLengths(places.map((place) => -place).toReversed()).toReversed();
  const longest = Math.max(0, ...before);
  const isOnLongest = (index: number) => before[index]! + after[index]! - 1 === longest;
  const rivals = before.map((length, index) => (isOnLongest(index) ? length : 0));
  return new Set(
    places.filter(
      (_place, index) =>
        isOnLongest(index) && rivals.filter((length) => length === before[index]).length === 1,
    ),
  );
}

/** How many stand in rising order, at most, up to each of them. */
function riseLengths(values: readonly number[]): number[] {
  const lengths: number[] = [];
  for (const [index, value] of values.entries()) {
    const lower = lengths.filter((_length, at) => at < index && values[at]! < value);
    lengths.push(Math.max(0, ...lower) + 1);
  }
  return lengths;
}
