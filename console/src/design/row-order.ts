/** The order of a table's rows, as somebody who looks at it asks for it: up, then down, then as the vault gives them. */
import {
  constructSortFn,
  createSortedRowModel,
  rowSortingFeature,
  tableFeatures,
  type ColumnDef,
} from '@tanstack/react-table';

export interface OrderedColumn<Row> {
  readonly title: string;
  /** By what the rows can be put in order (moments as RFC 3339); absent: they cannot by this column. */
  readonly sortBy?: (row: Row) => string | number | undefined;
}

export const ROW_ORDER = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
});

/** `Bot 9` before `Bot 10`, whatever the browser's language is. */
const WORDS = new Intl.Collator('en', { numeric: true });

const sortFn = constructSortFn({
  sort: (a: string | number, b: string | number) =>
    typeof a === 'number' && typeof b === 'number' ? a - b : WORDS.compare(String(a), String(b)),
});

/** Columns are told apart by their titles. What has no value comes last, whichever way the rows are ordered. */
export function orderedColumns<Row extends object>(
  columns: readonly OrderedColumn<Row>[],
): ColumnDef<typeof ROW_ORDER, Row>[] {
  return columns.map(({ title: id, sortBy }) => ({
    id,
    accessorFn: sortBy ?? (() => undefined),
    enableSorting: sortBy !== undefined,
    sortDescFirst: false,
    sortUndefined: 'last',
    sortFn,
  }));
}
