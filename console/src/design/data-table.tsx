/** Rows as a table; on a phone each row is a small card. Of a long list only what is near the window is in the page. */
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState, type ReactNode, type Ref } from 'react';
import styles from './data-table.module.css';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
}

interface BodyProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
}

interface DataTableProps<Row> extends BodyProps<Row> {
  /** What the rows are, for a screen reader. */
  readonly caption: string;
  /** Stays a table on a phone: its cells are short. */
  readonly isCompact?: boolean;
}

/** A shorter list is in the page as a whole, so that the browser's own search finds everything in it. */
const LONG = 200;
/** A guess of a row's height, px, until it is measured. */
const ROW_PX = 48;
/** Rows beyond the window's edges: the next links and buttons by keyboard are there before they are seen. */
const BEYOND = 15;

export function DataTable<Row>({ caption, isCompact = false, ...body }: DataTableProps<Row>) {
  const { columns, rows } = body;
  return (
    // reached by keyboard, since it may scroll
    <div className={styles.frame} role="region" aria-label={caption} tabIndex={0}>
      <table
        className={`${styles.table} ${isCompact ? '' : styles.cards}`}
        aria-label={caption}
        aria-rowcount={rows.length + 1}
      >
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ title }) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        {rows.length < LONG ? <WholeBody {...body} /> : <LongBody {...body} />}
      </table>
    </div>
  );
}

function WholeBody<Row>({ columns, rows, idOf }: BodyProps<Row>) {
  return (
    <tbody>
      {rows.map((row, index) => (
        <TableRow key={idOf(row)} columns={columns} row={row} index={index} />
      ))}
    </tbody>
  );
}

function LongBody<Row>({ columns, rows, idOf }: BodyProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    setTop((body.current?.getBoundingClientRect().top ?? 0) + scrollY);
  }, []);
  // nothing here is memoized
  // oxlint-disable-next-line react/incompatible-library
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => idOf(rows[index]!),
    overscan: BEYOND,
    scrollMargin: top,
  });
  const items = virtual.getVirtualItems();
  const [first, last] = [items.at(0), items.at(-1)];
  return (
    <tbody ref={body}>
      <Space height={(first?.start ?? top) - top} />
      {items.map(({ key, index }) => (
        <TableRow
          key={key}
          columns={columns}
          row={rows[index]!}
          index={index}
          measure={virtual.measureElement}
        />
      ))}
      <Space height={virtual.getTotalSize() + top - (last?.end ?? top)} />
    </tbody>
  );
}

/** In the place of rows that are not in the page. */
function Space({ height }: { readonly height: number }) {
  if (height <= 0) return null;
  return <tr aria-hidden="true" className={styles.space} style={{ height }} />;
}

interface TableRowProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly row: Row;
  readonly index: number;
  readonly measure?: Ref<HTMLTableRowElement>;
}

function TableRow<Row>({ columns, row, index, measure }: TableRowProps<Row>) {
  return (
    <tr ref={measure} data-index={index} aria-rowindex={index + 2}>
      {columns.map(({ title, cell }) => (
        <td key={title} data-label={title}>
          <div>{cell(row)}</div>
        </td>
      ))}
    </tr>
  );
}
