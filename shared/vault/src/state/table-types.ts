import type { List, Map } from 'immutable';

export interface Identified {
  readonly id: string;
}

/**
 * Rows by id, with their order of creation. Positions never move: a deleted row leaves a gap, so a
 * position is a keyset cursor that concurrent inserts and deletes cannot confuse.
 */
export interface Listing<Row extends Identified> {
  readonly rows: Map<string, Row>;
  readonly order: List<string>;
}

/** Rows, and the indexes that follow from them, so that nobody who changes a row can forget an index. */
export interface Table<
  Row extends Identified,
  Indexes extends object = object,
> extends Listing<Row> {
  readonly indexes: Indexes;
  readonly indexRules: IndexRules<Row, Indexes>;
}

export type IndexRules<Row, Indexes extends object> = {
  readonly [Name in keyof Indexes]: IndexRule<Row, Indexes[Name]>;
};

export interface IndexRule<Row, Index> {
  readonly empty: Index;
  /** The index after a change of one row: `before` is absent for a new one, `after` for a deleted one. */
  keep(index: Index, before: Row | undefined, after: Row | undefined): Index;
}
