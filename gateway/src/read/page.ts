/** Pages of a table, in order of creation. */
import { DEFAULT_PAGE_LIMIT } from '@countersign/api/primitives.js';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import { type Listing } from '@countersign/vault/state/table.js';
import { sliceTable } from '@countersign/vault/views/slice-table.js';
import type { ReadContext } from './read-operation.js';

export interface PageQuery {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

export interface Page<View> {
  readonly results: View[];
  readonly next_cursor: string | null;
}

export interface List<Row extends { readonly id: string }, View> {
  /** Unique among lists; a list under a path parameter names its value too. */
  readonly name: string;
  readonly table: Listing<Row>;
  readonly query: PageQuery;
  matches(row: Row): boolean;
  view(row: Row): View;
}

export type PageContext = Pick<ReadContext, 'cursors'> & {
  readonly caller: { readonly id: string };
};

/** Binds a cursor to its list, filters and caller. */
export function cursorScope(name: string, query: PageQuery, callerId: string): string {
  const filters = Object.entries(query)
    .filter(([key, value]) => key !== 'cursor' && key !== 'limit' && value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([name, callerId, filters]);
}

/** The page that the query asks for; 400 for a cursor of another list, other filters or another caller. */
export function pageOf<Row extends { readonly id: string }, View>(
  { caller, cursors }: PageContext,
  list: List<Row, View>,
): Page<View> | Refusal {
  const { query, table } = list;
  const scope = cursorScope(list.name, query, caller.id);
  const position = query.cursor === undefined ? '-1' : cursors.open(scope, query.cursor);
  if (isRefusal(position)) return position;
  const slice = sliceTable(table, {
    after: Number(position),
    limit: query.limit ?? DEFAULT_PAGE_LIMIT,
    matches: (row) => list.matches(row),
  });
  const { nextPosition } = slice;
  return {
    results: slice.rows.map((row) => list.view(row)),
    next_cursor: nextPosition === undefined ? null : cursors.seal(scope, String(nextPosition)),
  };
}

/** The view of a found row; a refusal is returned as it is. */
export function viewOf<Row, View>(row: Row | Refusal, view: (row: Row) => View): View | Refusal {
  return isRefusal(row) ? row : view(row);
}

/** Whether `text` contains `part`, ignoring case; an absent `part` matches every text. */
export function textMatcher(part: string | undefined): (text: string) => boolean {
  if (part === undefined) return () => true;
  const wanted = part.toLowerCase();
  return (text) => text.toLowerCase().includes(wanted);
}

/** Whether an item is one of `items`; an absent list matches every item. */
export function listMatcher(items: readonly string[] | undefined): (item: string) => boolean {
  if (items === undefined) return () => true;
  const wanted = new Set(items);
  return (item) => wanted.has(item);
}
