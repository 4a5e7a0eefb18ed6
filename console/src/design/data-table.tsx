/** Rows as a table; on a phone each row is a small card. Of a long list only what is near the window is in the page. */
import { useTable, type Header, type Row as OrderedRow } from '@tanstack/react-table';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState, type ReactNode, type Ref } from 'react';
import { Button } from './button.js';
import styles from './data-table.module.css';
import { Unseen } from './pieces.js';
import { orderedColumns, ROW_ORDER, type OrderedColumn } from './row-order.js';

export interface Column<Row> extends OrderedColumn<Row> {
  readonly cell: (row: Row) => ReactNode;
  /** Long texts, which take as many lines as they need. Other cells have one line, names two. */
  readonly isText?: boolean;
}

interface DataTableProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  /** What the rows are, for a screen reader. */
  readonly caption: string;
  /** Stays a table on a phone: its cells are short. */
  readonly isCompact?: boolean;
  /** There are more rows than these: an order is one of these alone. */
  readonly isPart?: boolean;
}

/** A shorter list is in the page as a whole, so that the browser's own search finds everything in it. */
const LONG = 200;
/** A guess of a row's height, px, until it is measured. */
const ROW_PX = 35;
/** Rows beyond the window's edges: the next links and buttons by keyboard are there before they are seen. */
const BEYOND = 15;

export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { caption, isCompact = false, isPart = false, columns, rows: data, idOf } = props;
  const table = useTable({
    features: ROW_ORDER,
    columns: orderedColumns(columns),
    data,
    getRowId: idOf,
  });
  const { rows } = table.getRowModel();
  return (
    <>
      {isPart && table.state.sorting.length > 0 && (
        <p role="status">
          In order are the {rows.length} rows that are shown. There are more of them.{' '}
          <Button onPress={() => table.resetSorting()}>As the vault gives them</Button>
        </p>
      )}
      {/* reached by keyboard, since it may scroll */}
      <div className={styles.frame} role="region" aria-label={caption} tabIndex={0}>
        <table
          className={`${styles.table} ${isCompact ? '' : styles.cards}`}
          aria-label={caption}
          aria-rowcount={rows.length + 1}
        >
          <thead>
            <tr aria-rowindex={1}>
              {table.getFlatHeaders().map((header) => (
                <Heading key={header.id} header={header} />
              ))}
            </tr>
          </thead>
          {rows.length < LONG ? (
            <WholeBody columns={columns} rows={rows} />
          ) : (
            <LongBody columns={columns} rows={rows} />
          )}
        </table>
      </div>
    </>
  );
}

interface HeadingProps<Row extends object> {
  readonly header: Header<typeof ROW_ORDER, Row>;
}

function Heading<Row extends object>({ header: { id, column } }: HeadingProps<Row>) {
  if (!column.getCanSort()) return <th scope="col">{id}</th>;
  const order = column.getIsSorted();
  const sort = order === false ? undefined : order === 'desc' ? 'descending' : 'ascending';
  return (
    <th scope="col" aria-sort={sort}>
      <button type="button" className={styles.sort} onClick={() => column.toggleSorting()}>
        {id}
        <span aria-hidden="true" className={styles.arrow}>
          {order === false ? '↑↓' : order === 'desc' ? '↓' : '↑'}
        </span>
        <Unseen>: put in order</Unseen>
      </button>
    </th>
  );
}

interface BodyProps<Row extends object> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly OrderedRow<typeof ROW_ORDER, Row>[];
}

function WholeBody<Row extends object>({ columns, rows }: BodyProps<Row>) {
  return (
    <tbody>
      {rows.map(({ id, original }, index) => (
        <TableRow key={id} columns={columns} row={original} index={index} />
      ))}
    </tbody>
  );
}

function LongBody<Row extends object>({ columns, rows }: BodyProps<Row>) {
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
    getItemKey: (index) => rows[index]!.id,
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
          row={rows[index]!.original}
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
      {columns.map(({ title, cell, isText = false }) => (
        <td key={title} data-label={title} className={isText ? styles.text : ''}>
          <div>{cell(row)}</div>
        </td>
      ))}
    </tr>
  );
}
