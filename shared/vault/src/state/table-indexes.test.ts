import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { firstForGood, listed, naming, unique, where } from './table-indexes.js';
import { deleteRow, indexedTable, insertRow, replaceRow } from './table.js';
import { listingOf, sliceTable } from '../views/slice-table.js';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly shelf: string;
  readonly parts: readonly { readonly id: string }[];
}

const EMPTY = indexedTable<Row>()({
  byName: unique(({ name }) => (name === '' ? undefined : name)),
  short: where(({ parts }) => parts.length < 2),
  byShelf: listed(({ shelf }) => shelf),
  byPart: naming(({ parts }) => parts),
});

const row = (id: string, fields: Partial<Row> = {}): Row => ({
  id,
  name: '',
  shelf: 'top',
  parts: [],
  ...fields,
});

const partsOf = (...ids: string[]) => ids.map((id) => ({ id }));

describe('the indexes of a table', () => {
  it('come from its rows, whatever was inserted, replaced and deleted', () => {
    const change = fc.record({
      at: fc.nat(7),
      isGone: fc.boolean(),
      parts: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 5 }),
      name: fc.constantFrom('', 'one', 'two'),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60, size: 'max' }), (changes) => {
        let table = EMPTY;
        let made = 0;
        const slots = new Map<number, string>();
        // per part, the rows that name it, in the order in which they came to
        let joined: { part: string; id: string }[] = [];
        for (const { at, isGone, parts, name } of changes) {
          const id = slots.get(at);
          // names are for good: each row has one of its own
          const own = (rowId: string) => (name === '' ? '' : `${name} of ${rowId}`);
          if (id === undefined) {
            const next = `row-${made++}`;
            slots.set(at, next);
            const fields = { name: own(next), shelf: `shelf ${at % 3}`, parts: partsOf(...parts) };
            table = insertRow(table, row(next, fields));
          } else if (isGone) {
            slots.delete(at);
            table = deleteRow(table, id);
          } else {
            const before = table.rows.get(id)!;
            table = replaceRow(table, { ...before, name: own(id), parts: partsOf(...parts) });
          }
          const rows = [...table.rows.values()];
          const naming = rows.flatMap((r) => r.parts.map((part) => ({ part: part.id, id: r.id })));
          const isIn = (list: typeof joined, one: (typeof joined)[number]) =>
            list.some((other) => other.part === one.part && other.id === one.id);
          joined = joined.filter((one) => isIn(naming, one));
          joined.push(...naming.filter((one) => !isIn(joined, one)));

          const { byName, short, byShelf, byPart } = table.indexes;
          const named = rows.filter((r) => r.name !== '');
          expect(byName.toJS()).toEqual(Object.fromEntries(named.map((r) => [r.name, r.id])));
          expect(new Set(short)).toEqual(
            new Set(rows.filter((r) => r.parts.length < 2).map((r) => r.id)),
          );
          for (const [shelf, order] of byShelf) {
            const slice = sliceTable(listingOf(table, order), {
              after: -1,
              limit: 100,
              matches: () => true,
            });
            const creation = table.order.filter((one) => table.rows.get(one)?.shelf === shelf);
            expect(slice.rows.map((r) => r.id)).toEqual([...creation]);
          }
          const expected: Record<string, string[]> = {};
          for (const one of joined) (expected[one.part] ??= []).push(one.id);
          expect(byPart.toJS()).toEqual(expected);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('stay the same objects when nothing of theirs changed', () => {
    const table = insertRow(EMPTY, row('a', { name: 'one', parts: partsOf('x', 'y') }));
    const again = replaceRow(table, { ...table.rows.get('a')! });
    expect(again.indexes).toBe(table.indexes);
    expect(deleteRow(again, 'no such row').indexes).toBe(table.indexes);
  });

  it('never change in the hands of who holds them', () => {
    const { indexes } = insertRow(EMPTY, row('a', { name: 'one', parts: partsOf('x') }));
    const before = indexes.byPart.toJS();
    insertRow(deleteRow({ ...EMPTY, indexes }, 'a'), row('b', { parts: partsOf('x') }));
    expect(indexes.byPart.toJS()).toEqual(before);
  });
});

describe('a unique index', () => {
  const table = insertRow(EMPTY, row('a', { name: 'secret' }));

  it('throws rather than give a key to a second row, and tells neither log nor caller the key', () => {
    const clash = () => insertRow(table, row('b', { name: 'secret' }));
    expect(clash).toThrow(/^row b has what is row a's alone$/);
    const two = insertRow(table, row('b', { name: 'other' }));
    expect(() => replaceRow(two, row('b', { name: 'secret' }))).toThrow(/row a's alone/);
  });

  it('gives a key that was let go to another row', () => {
    const others = [replaceRow(table, row('a')), replaceRow(table, row('a', { name: 'other' }))];
    for (const gone of [deleteRow(table, 'a'), ...others]) {
      expect(gone.indexes.byName.has('secret')).toBe(false);
      expect(insertRow(gone, row('b', { name: 'secret' })).indexes.byName.get('secret')).toBe('b');
    }
  });
});

describe('a list', () => {
  const table = ['a', 'b', 'c'].reduce((now, id) => insertRow(now, row(id)), EMPTY);

  it('keeps the place of a row that is gone', () => {
    const order = deleteRow(table, 'b').indexes.byShelf.get('top')!;
    expect([...order]).toEqual(['a', 'b', 'c']);
  });

  it('does not let a row go to another: its place is a cursor of somebody', () => {
    expect(() => replaceRow(table, row('b', { shelf: 'low' }))).toThrow(/cannot change its group/);
  });
});

describe('marks that belong to the first row that had them', () => {
  const newPartsOf = ({ parts }: Row, before?: Row) =>
    parts === before?.parts ? [] : parts.map(({ id }) => id);
  const marked = indexedTable<Row>()({
    byMark: firstForGood<Row>(newPartsOf),
  });
  const held = (table: typeof marked) => table.indexes.byMark.toJS();

  it('stay with it when it changes, when it goes, and when another has them too', () => {
    const one = insertRow(marked, row('one', { parts: partsOf('a', 'b') }));
    expect(held(one)).toEqual({ a: 'one', b: 'one' });
    const two = insertRow(one, row('two', { parts: partsOf('b', 'c') }));
    expect(held(two)).toEqual({ a: 'one', b: 'one', c: 'two' });
    const bare = replaceRow(two, row('one'));
    expect(held(deleteRow(bare, 'one'))).toEqual({ a: 'one', b: 'one', c: 'two' });
  });

  it('are looked at only where a row has changed in them', () => {
    const parts = partsOf('a');
    const one = insertRow(marked, row('one', { parts }));
    const renamed = replaceRow(one, row('one', { parts, name: 'renamed' }));
    expect(renamed.indexes).toBe(one.indexes);
    const more = replaceRow(renamed, row('one', { parts: partsOf('a', 'z') }));
    expect(held(more)).toEqual({ a: 'one', z: 'one' });
  });
});
