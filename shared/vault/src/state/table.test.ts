import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { deleteRow, emptyTable, insertRow, replaceRow } from './table.js';
import { sliceTable, type Slice } from '../views/slice-table.js';
import type { Table } from './table.js';

interface Row {
  readonly id: string;
  readonly kind: 'odd' | 'even';
}

const row = (number: number): Row => ({
  id: `row-${number}`,
  kind: number % 2 === 0 ? 'even' : 'odd',
});

const tableOf = (numbers: readonly number[]): Table<Row> =>
  numbers.reduce((table, number) => insertRow(table, row(number)), emptyTable<Row>());

const every = () => true;

/** All pages from the first on; `between` may change the table before each further page. */
function readAll(
  first: Table<Row>,
  limit: number,
  matches: (candidate: Row) => boolean = every,
  between: (table: Table<Row>) => Table<Row> = (table) => table,
): string[] {
  let table = first;
  const ids: string[] = [];
  for (let after: number | undefined = -1; after !== undefined;) {
    const slice: Slice<Row> = sliceTable(table, { after, limit, matches });
    expect(slice.rows.length).toBeLessThanOrEqual(limit);
    ids.push(...slice.rows.map(({ id }) => id));
    after = slice.nextPosition;
    table = between(table);
  }
  return ids;
}

describe('sliceTable', () => {
  it('gives every matching row once, in order of creation, whatever the page size', () => {
    const deletions = fc.uniqueArray(fc.nat(29));
    fc.assert(
      fc.property(fc.nat(30), deletions, fc.integer({ min: 1, max: 12 }), (size, gone, limit) => {
        const numbers = Array.from({ length: size }, (_, index) => index);
        const table = gone.reduce((now, n) => deleteRow(now, `row-${n}`), tableOf(numbers));
        const left = numbers.filter((n) => !gone.includes(n)).map(row);
        expect(readAll(table, limit)).toEqual(left.map(({ id }) => id));
        const isOdd = ({ kind }: Row) => kind === 'odd';
        expect(readAll(table, limit, isOdd)).toEqual(left.filter(isOdd).map(({ id }) => id));
      }),
      { numRuns: 300 },
    );
  });

  it('promises a next page only when there is one', () => {
    const table = tableOf([0, 1, 2, 3]);
    const slice = (limit: number) => sliceTable(table, { after: -1, limit, matches: every });
    expect(slice(4).nextPosition).toBeUndefined();
    expect(slice(3).nextPosition).toBe(2);
    expect(sliceTable(table, { after: 3, limit: 1, matches: every })).toEqual({
      rows: [],
      nextPosition: undefined,
    });
    const evenOnly = { after: -1, limit: 2, matches: ({ kind }: Row) => kind === 'even' };
    expect(sliceTable(table, evenOnly).nextPosition).toBeUndefined();
  });

  it('repeats and skips nothing while rows are deleted and made between pages', () => {
    let made = 100;
    let gone = 0;
    const ids = readAll(tableOf([0, 1, 2, 3, 4, 5, 6]), 2, every, (table) =>
      made < 103 ? insertRow(deleteRow(table, `row-${gone++}`), row(made++)) : table,
    );
    expect(ids).toEqual([0, 1, 2, 3, 4, 5, 6, 100, 101, 102].map((n) => `row-${n}`));
  });
});

describe('a table', () => {
  it('keeps a row where it was when it is replaced', () => {
    const table = replaceRow(tableOf([0, 1, 2]), { id: 'row-1', kind: 'even' });
    expect(readAll(table, 10)).toEqual(['row-0', 'row-1', 'row-2']);
    expect(table.rows.get('row-1')?.kind).toBe('even');
  });

  it('never changes in the hands of who holds it', () => {
    const before = tableOf([0, 1]);
    deleteRow(insertRow(before, row(2)), 'row-0');
    expect(readAll(before, 10)).toEqual(['row-0', 'row-1']);
  });

  it('refuses to insert a row that exists and to replace one that does not', () => {
    expect(() => insertRow(tableOf([1]), row(1))).toThrow('exists');
    expect(() => replaceRow(tableOf([1]), row(2))).toThrow('does not exist');
  });
});
