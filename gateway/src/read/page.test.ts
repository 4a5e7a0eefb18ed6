import { describe, expect, test } from '@jest/globals';
import { isRefusal } from '@countersign/core/errors.js';
import { deleteRow, emptyTable, insertRow, type Table } from '@countersign/vault/state/table.js';
import fc from 'fast-check';
import { createCursors } from './cursor.js';
import { cursorScope, pageOf, type Page, type PageQuery } from './page.js';

interface Row {
  readonly id: string;
}

const cursors = createCursors(Buffer.alloc(32, 7));
const caller = { id: 'caller-a' };

function page(table: Table<Row>, query: PageQuery, name = 'rows', by = caller) {
  return pageOf(
    { cursors, caller: by },
    { name, table, query, matches: () => true, view: (row) => row.id },
  );
}

function goodPage(...args: Parameters<typeof page>): Page<string> {
  const result = page(...args);
  if (isRefusal(result)) throw new Error(result.message);
  return result;
}

function tableOf(count: number): Table<Row> {
  let table = emptyTable<Row>();
  for (let index = 0; index < count; index++) table = insertRow(table, { id: `row-${index}` });
  return table;
}

describe('pages', () => {
  test('50 rows when no limit is stated, oldest first', () => {
    const { results, next_cursor: cursor } = goodPage(tableOf(60), {});
    expect(results).toHaveLength(50);
    expect(results[0]).toBe('row-0');
    expect(goodPage(tableOf(60), { cursor: cursor! })).toEqual({
      results: Array.from({ length: 10 }, (_, index) => `row-${index + 50}`),
      next_cursor: null,
    });
  });

  test('an exactly full last page has no next one', () => {
    expect(goodPage(tableOf(4), { limit: 4 }).next_cursor).toBeNull();
  });

  test('rows that stay are given once, whatever is inserted or deleted between pages', () => {
    const step = fc.record({ inserts: fc.nat(3), deletes: fc.array(fc.nat(60), { maxLength: 4 }) });
    fc.assert(
      fc.property(
        fc.nat(40),
        fc.integer({ min: 1, max: 7 }),
        fc.array(step, { minLength: 60, maxLength: 60 }),
        (count, limit, steps) => {
          let table = tableOf(count);
          const initial = [...table.order];
          const deleted = new Set<string>();
          const given: string[] = [];
          let cursor: string | undefined;
          for (const { inserts, deletes } of steps) {
            const next = goodPage(table, { limit, cursor });
            given.push(...next.results);
            if (next.next_cursor === null) break;
            cursor = next.next_cursor;
            for (let index = 0; index < inserts; index++) {
              table = insertRow(table, { id: `row-${table.order.size}` });
            }
            for (const index of deletes) {
              const id = table.order.get(index);
              if (id === undefined || !table.rows.has(id)) continue;
              deleted.add(id);
              table = deleteRow(table, id);
            }
          }
          expect(new Set(given).size).toBe(given.length);
          const stayed = initial.filter((id) => !deleted.has(id));
          const complete = given.filter((id) => stayed.includes(id));
          // 60 steps may end before the list does; what was given is then a gapless beginning
          expect(complete).toEqual(stayed.slice(0, complete.length));
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('400', () => {
  const table = tableOf(10);
  const cursor = goodPage(table, { limit: 3 }).next_cursor!;
  const refused = { refused: 'parse_error' };

  test('a cursor with any one character changed', () => {
    for (let index = 0; index < cursor.length; index++) {
      const other = cursor[index] === 'A' ? 'B' : 'A';
      const tampered = cursor.slice(0, index) + other + cursor.slice(index + 1);
      expect(page(table, { limit: 3, cursor: tampered })).toMatchObject(refused);
    }
  });

  test.each(['', 'x', '!!!!', 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'])('a made-up cursor %j', (made) => {
    expect(page(table, { cursor: made })).toMatchObject(refused);
  });

  test('a cursor of another list', () => {
    expect(page(table, { cursor }, 'other rows')).toMatchObject(refused);
  });

  test('a cursor of another caller', () => {
    expect(page(table, { cursor }, 'rows', { id: 'caller-b' })).toMatchObject(refused);
  });

  test('a cursor of other filters', () => {
    const filtered: PageQuery & { name: string } = { cursor, name: 'x' };
    expect(page(table, filtered)).toMatchObject(refused);
  });

  test('but another limit is the same list', () => {
    expect(goodPage(table, { cursor, limit: 5 }).results[0]).toBe('row-3');
  });
});

test('a scope does not depend on the order of the filters', () => {
  const one: PageQuery & { a: string; b: string } = { a: '1', b: '2' };
  const two: PageQuery & { a: string; b: string } = { b: '2', limit: 7, a: '1' };
  expect(cursorScope('rows', one, 'x')).toBe(cursorScope('rows', two, 'x'));
});
