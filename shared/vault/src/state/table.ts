import { List, Map } from 'immutable';
import type { Identified, IndexRule, IndexRules, Table } from './table-types.js';

export type * from './table-types.js';

/** An empty table that keeps these indexes. It takes two calls, so that the rules know the rows' type. */
export function indexedTable<Row extends Identified>() {
  return <Indexes extends object>(indexRules: IndexRules<Row, Indexes>): Table<Row, Indexes> => {
    const rules: [string, IndexRule<Row, unknown>][] = Object.entries(indexRules);
    const indexes = Object.fromEntries(rules.map(([name, { empty }]) => [name, empty])) as Indexes;
    return { rows: Map(), order: List(), indexes, indexRules };
  };
}

export function emptyTable<Row extends Identified>(): Table<Row> {
  return indexedTable<Row>()<object>({});
}

export function isTable(value: unknown): value is Table<Identified> {
  return typeof value === 'object' && value !== null && 'indexRules' in value;
}

/** Throws when the row exists, or has what an index allows only once. */
export function insertRow<Row extends Identified, Indexes extends object>(
  table: Table<Row, Indexes>,
  row: NoInfer<Row>,
): Table<Row, Indexes> {
  if (table.rows.has(row.id)) throw new Error(`row ${row.id} exists`);
  return {
    ...table,
    rows: table.rows.set(row.id, row),
    order: table.order.push(row.id),
    indexes: keptIndexes(table, undefined, row),
  };
}

/** Throws when the row does not exist, or has what an index allows only once. */
export function replaceRow<Row extends Identified, Indexes extends object>(
  table: Table<Row, Indexes>,
  row: NoInfer<Row>,
): Table<Row, Indexes> {
  const before = table.rows.get(row.id);
  if (before === undefined) throw new Error(`row ${row.id} does not exist`);
  return {
    ...table,
    rows: table.rows.set(row.id, row),
    indexes: keptIndexes(table, before, row),
  };
}

export function deleteRow<Row extends Identified, Indexes extends object>(
  table: Table<Row, Indexes>,
  id: string,
): Table<Row, Indexes> {
  return {
    ...table,
    rows: table.rows.delete(id),
    indexes: keptIndexes(table, table.rows.get(id), undefined),
  };
}

function keptIndexes<Row extends Identified, Indexes extends object>(
  { indexes, indexRules }: Table<Row, Indexes>,
  before: Row | undefined,
  after: Row | undefined,
): Indexes {
  let kept = indexes;
  for (const name in indexRules) {
    const index = indexRules[name].keep(indexes[name], before, after);
    if (index !== indexes[name]) kept = { ...kept, [name]: index };
  }
  return kept;
}
