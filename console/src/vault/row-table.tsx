/** A list of the API as a table; on a phone each row is a small card. */
import type { ReactNode } from 'react';
import type { Rows } from './vault-queries.js';
import { Button } from '../design/button.js';
import { Quiet } from '../design/pieces.js';
import { Fault } from './fault.js';
import styles from './table.module.css';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
}

interface RowTableProps<Row> {
  /** What the rows are, for a screen reader. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly list: Rows<Row>;
  readonly idOf: (row: Row) => string;
  /** What to do next, where there are none. */
  readonly empty: ReactNode;
}

export function RowTable<Row>({ caption, columns, list, idOf, empty }: RowTableProps<Row>) {
  const { rows, query } = list;
  if (query.isPending) return <Quiet>Loading {caption.toLowerCase()} …</Quiet>;
  return (
    <>
      <Fault error={query.error} />
      {rows.length === 0 && query.error === null && <div className={styles.empty}>{empty}</div>}
      {rows.length > 0 && (
        // reached by keyboard, since it may scroll
        <div className={styles.frame} role="region" aria-label={caption} tabIndex={0}>
          <table className={styles.table} aria-label={caption}>
            <thead>
              <tr>
                {columns.map(({ title }) => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={idOf(row)}>
                  {columns.map(({ title, cell }) => (
                    <td key={title} data-label={title}>
                      {cell(row)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {query.hasNextPage && (
        <Button onPress={() => void query.fetchNextPage()}>
          {query.isFetchingNextPage ? 'Loading …' : 'Show more'}
        </Button>
      )}
    </>
  );
}
