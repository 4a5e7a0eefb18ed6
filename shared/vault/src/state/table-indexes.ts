/**
 * The kinds of index that a table can keep. Each says which field of a row it goes by; a row without one is not in the
 * index. Indexes hold ids: only the table holds rows, but {@link versions} keeps deleted ones too.
 */
import { List, Map, Set as IdSet } from 'immutable';
import type { Identified, IndexRule } from './table.js';

/**
 * One row per key. Operations refuse a taken key before they write. A clash that gets here is a mistake in one of
 * them, and throws.
 */
export function unique<Row extends Identified>(
  keyOf: (row: Row) => string | undefined,
): IndexRule<Row, Map<string, string>> {
  return {
    empty: Map(),
    keep(ids, before, after) {
      const was = before && keyOf(before);
      const is = after && keyOf(after);
      if (was === is) return ids;
      const left = was === undefined ? ids : ids.delete(was);
      return after === undefined || is === undefined ? left : taken(left, is, after.id);
    },
  };
}

/**
 * Finds for each mark the first row that ever had it, for good, even when that row no longer has it or another gets
 * it. `newMarksOf`: at least the marks of a row that it had not before.
 */
export function firstForGood<Row extends Identified>(
  newMarksOf: (after: Row, before: Row | undefined) => readonly string[],
): IndexRule<Row, Map<string, string>> {
  return {
    empty: Map(),
    keep(ids, before, after) {
      if (after === undefined) return ids;
      const fresh = newMarksOf(after, before).filter((mark) => !ids.has(mark));
      return fresh.reduce((kept, mark) => kept.set(mark, after.id), ids);
    },
  };
}

interface Versioned extends Identified {
  readonly version: number;
}

/** Every row as it was at each of its versions, for good, by {@link versionKey}. */
export function versions<Row extends Versioned>(): IndexRule<Row, Map<string, Row>> {
  return {
    empty: Map(),
    keep: (rows, _before, after) =>
      after === undefined ? rows : rows.set(versionKey(after.id, after.version), after),
  };
}

export function versionKey(id: string, version: number): string {
  return `${id}/${version}`;
}

/** Keys may be personal (an email) or stand for credentials, so the error names rows alone. */
function taken(ids: Map<string, string>, key: string, id: string): Map<string, string> {
  const owner = ids.get(key) ?? id;
  if (owner !== id) throw new Error(`row ${id} has what is row ${owner}'s alone`);
  return ids.set(key, id);
}

/** The rows for which the test holds. */
export function where<Row extends Identified>(
  holds: (row: Row) => boolean,
): IndexRule<Row, IdSet<string>> {
  return {
    empty: IdSet(),
    keep(ids, before, after) {
      const was = before !== undefined && holds(before);
      const is = after !== undefined && holds(after);
      if (was === is) return ids;
      return is ? ids.add(after.id) : ids.delete(before!.id);
    },
  };
}

/**
 * The rows of each group in order of creation. As in the table's own order, a deleted row leaves a gap and positions
 * never move; so a row cannot change its group.
 */
export function listed<Row extends Identified>(
  groupOf: (row: Row) => string,
): IndexRule<Row, Map<string, List<string>>> {
  return {
    empty: Map(),
    keep(orders, before, after) {
      if (after === undefined) return orders;
      const group = groupOf(after);
      if (before === undefined) {
        return orders.set(group, (orders.get(group) ?? List<string>()).push(after.id));
      }
      if (groupOf(before) !== group) throw new Error(`row ${after.id} cannot change its group`);
      return orders;
    },
  };
}

/**
 * The rows that name each item, in the order in which they came to name it. An item that is taken out of a row and put
 * back comes last if that takes two changes of the row.
 */
export function naming<Row extends Identified>(
  itemsOf: (row: Row) => readonly Identified[],
): IndexRule<Row, Map<string, readonly string[]>> {
  const itemsIn = (row: Row | undefined) => (row === undefined ? [] : itemsOf(row));
  return {
    empty: Map(),
    keep(index, before, after) {
      const was = itemsIn(before);
      const is = itemsIn(after);
      const id = after?.id ?? before?.id;
      if (was === is || id === undefined) return index;
      const { left, joined } = differenceOf(was, is);
      return index.withMutations((changing) => {
        for (const item of left) {
          const ids = (changing.get(item) ?? []).filter((other) => other !== id);
          if (ids.length === 0) changing.delete(item);
          else changing.set(item, ids);
        }
        for (const item of joined) changing.set(item, [...(changing.get(item) ?? []), id]);
      });
    },
  };
}

/**
 * Ids that are in one of the lists only, each once. Lists are long and change by a few items, so what they share at
 * both ends is skipped without a copy.
 */
function differenceOf(
  was: readonly Identified[],
  is: readonly Identified[],
): { left: Iterable<string>; joined: Iterable<string> } {
  const shorter = Math.min(was.length, is.length);
  let start = 0;
  while (start < shorter && was[start]!.id === is[start]!.id) start++;
  let end = 0;
  while (end < shorter - start && was.at(-1 - end)!.id === is.at(-1 - end)!.id) end++;
  const before = idsBetween(was, start, end);
  const after = idsBetween(is, start, end);
  return {
    left: [...before].filter((id) => !after.has(id)),
    joined: [...after].filter((id) => !before.has(id)),
  };
}

function idsBetween(items: readonly Identified[], start: number, end: number): Set<string> {
  return new Set(items.slice(start, items.length - end).map(({ id }) => id));
}
