import { List, Map } from 'immutable';

/**
 * Rows by id, with their order of creation. Positions never move: a deleted row leaves a gap, so a
 * position is a keyset cursor that concurrent inserts and deletes cannot confuse.
 */
export interface Table<Row extends { readonly id: string }> {
  readonly rows: Map<string, Row>;
  readonly order: List<string>;
}

export function emptyTable<Row extends { readonly id: string }>(): Table<Row> {
  return { rows: Map(), order: List() };
}

export function insertRow<Row extends { readonly id: string }>(
  table: Table<Row>,
  row: Row,
): Table<Row> {
  if (table.rows.has(row.id)) throw new Error(`row ${row.id} exists`);
  return { rows: table.rows.set(row.id, row), order: table.order.push(row.id) };
}

export function replaceRow<Row extends { readonly id: string }>(
  table: Table<Row>,
  row: Row,
): Table<Row> {
  if (!table.rows.has(row.id)) throw new Error(`row ${row.id} does not exist`);
  return { rows: table.rows.set(row.id, row), order: table.order };
}

export function deleteRow<Row extends { readonly id: string }>(
  table: Table<Row>,
  id: string,
): Table<Row> {
  return { rows: table.rows.delete(id), order: table.order };
}

export interface Slice<Row> {
  readonly rows: Row[];
  /** Position of the last row given, when more may follow. */
  readonly nextPosition: number | undefined;
}

/** The first `limit` rows after `position` that `matches`, oldest first. */
export function sliceTable<Row extends { readonly id: string }>(
  table: Table<Row>,
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
