/** A list of the API as a table, which grows page by page. */
import type { ReactNode } from 'react';
import type { Rows } from './vault-queries.js';
import { Button } from '../design/button.js';
import { DataTable, type Column } from '../design/data-table.js';
import { Quiet } from '../design/pieces.js';
import { Fault } from './fault.js';
import styles from './row-table.module.css';

interface RowTableProps<Row extends object> {
  /** What the rows are, for a screen reader. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly list: Rows<Row>;
  readonly idOf: (row: Row) => string;
  /** What to do next, where there are none. */
  readonly empty: ReactNode;
}

export function RowTable<Row extends object>({
  caption,
  columns,
  list,
  idOf,
  empty,
}: RowTableProps<Row>) {
  const { rows, query } = list;
  if (query.isPending) return <Quiet>Loading {caption.toLowerCase()} …</Quiet>;
  return (
    <>
      <Fault error={query.error} />
      {rows.length === 0 && query.error === null && <div className={styles.empty}>{empty}</div>}
      {rows.length > 0 && (
        <DataTable
          caption={caption}
          columns={columns}
          rows={rows}
          idOf={idOf}
          isPart={query.hasNextPage}
        />
      )}
      {query.hasNextPage && (
        <Button onPress={() => void query.fetchNextPage()}>
          {query.isFetchingNextPage ? 'Loading …' : 'Show more'}
        </Button>
      )}
    </>
  );
}
