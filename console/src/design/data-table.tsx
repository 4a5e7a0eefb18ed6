/** Rows as a table; on a phone each row is a small card. */
import type { ReactNode } from 'react';
import styles from './data-table.module.css';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
}

interface DataTableProps<Row> {
  /** What the rows are, for a screen reader. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
}

export function DataTable<Row>({ caption, columns, rows, idOf }: DataTableProps<Row>) {
  return (
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
  );
}
