/** Reads a table page by page. */
import { List } from 'immutable';
import type { Identified, Listing, Table } from '../state/table.js';

/** The table's rows that `order` names, in the form of an index by {@link import('../state/table-indexes.js').listed}. */
export function listingOf<Row extends Identified>(
  table: Table<Row>,
  order: List<string> = List(),
): Listing<Row> {
  return { rows: table.rows, order };
}

export interface Slice<Row> {
  readonly rows: Row[];
  /** Position of the last row given, if more may follow. */
  readonly nextPosition: number | undefined;
}

/** The first `limit` rows after `position` that match, oldest first. */
export function sliceTable<Row extends Identified>(
  table: Listing<Row>,
  options: { after: number; limit: number; matches: (row: Row) => boolean },
): Slice<Row> {
  const rows: Row[] = [];
  let last = options.after;
  for (let position = options.after + 1; position < table.order.size; position++) {
    const row = table.rows.get(table.order.get(position)!);
    if (row === undefined || !options.matches(row)) continue;
    if (rows.length === options.limit) return { rows, nextPosition: last };
    rows.push(row);
    last = position;
  }
  return { rows, nextPosition: undefined };
}
