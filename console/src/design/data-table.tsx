/** Rows as a table; on a phone each row is a small card. Of a long list only what is near the window is in the page. */
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState, type ReactNode, type Ref } from 'react';
import { Button } from './button.js';
import styles from './data-table.module.css';
import { Unseen } from './pieces.js';
import { inOrder, turned, type SortOrder, type SortValue } from './sorted-rows.js';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** By what the rows can be put in order; absent: they cannot by this column. */
  readonly sortBy?: (row: Row) => SortValue;
  /** Long texts, which take as many lines as they need. Other cells have one line, names two. */
  readonly isText?: boolean;
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
  /** There are more rows than these: an order is one of these alone. */
  readonly isPart?: boolean;
}

/** A shorter list is in the page as a whole, so that the browser's own search finds everything in it. */
const LONG = 200;
/** A guess of a row's height, px, until it is measured. */
const ROW_PX = 35;
/** Rows beyond the window's edges: the next links and buttons by keyboard are there before they are seen. */
const BEYOND = 15;

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { caption, isCompact = false, isPart = false, columns, rows, idOf } = props;
  const [order, setOrder] = useState<SortOrder>();
  const sortBy = columns.find(({ title }) => title === order?.title)?.sortBy;
  const sorted = order === undefined || sortBy === undefined ? rows : inOrder(rows, sortBy, order);
  const body = { columns, rows: sorted, idOf };
  return (
    <>
      {isPart && order !== undefined && (
        <p role="status">
          In order are the {rows.length} rows that are shown. There are more of them.{' '}
          <Button onPress={() => setOrder(undefined)}>As the vault gives them</Button>
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
              {columns.map((column) => (
                <Heading key={column.title} column={column} order={order} onSort={setOrder} />
              ))}
            </tr>
          </thead>
          {sorted.length < LONG ? <WholeBody {...body} /> : <LongBody {...body} />}
        </table>
      </div>
    </>
  );
}

interface HeadingProps<Row> {
  readonly column: Column<Row>;
  readonly order: SortOrder | undefined;
  readonly onSort: (order: SortOrder | undefined) => void;
}

/** Up, down, and as it was. */
function Heading<Row>({ column: { title, sortBy }, order, onSort }: HeadingProps<Row>) {
  if (sortBy === undefined) return <th scope="col">{title}</th>;
  const own = order?.title === title ? order : undefined;
  const sort = own && (own.isDown ? 'descending' : 'ascending');
  return (
    <th scope="col" aria-sort={sort}>
      <button type="button" className={styles.sort} onClick={() => onSort(turned(own, title))}>
        {title}
        <span aria-hidden="true" className={styles.arrow}>
          {own === undefined ? '↑↓' : own.isDown ? '↓' : '↑'}
        </span>
        <Unseen>: put in order</Unseen>
      </button>
    </th>
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
      {columns.map(({ title, cell, isText = false }) => (
        <td key={title} data-label={title} className={isText ? styles.text : ''}>
          <div>{cell(row)}</div>
        </td>
      ))}
    </tr>
  );
}
