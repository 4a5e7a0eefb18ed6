/** The order of a table's rows, as somebody who looks at it asks for it. */

/** Moments as RFC 3339; undefined: there is none, which comes last whichever way the rows are ordered. */
export type SortValue = string | number | undefined;

export interface SortOrder {
  /** Of the column. */
  readonly title: string;
  readonly isDown: boolean;
}

/** `Bot 9` before `Bot 10`, whatever the browser's language is. */
const WORDS = new Intl.Collator('en', { numeric: true });

export function inOrder<Row>(
  rows: readonly Row[],
  sortBy: (row: Row) => SortValue,
  { isDown }: Pick<SortOrder, 'isDown'>,
): readonly Row[] {
  return rows.toSorted((one, other) => {
    const [a, b] = [sortBy(one), sortBy(other)];
    if (a === undefined || b === undefined)
      return Number(a === undefined) - Number(b === undefined);
    const difference =
      typeof a === 'number' && typeof b === 'number' ? a - b : WORDS.compare(String(a), String(b));
    return isDown ? -difference : difference;
  });
}

/** What a column's heading does to the order: up, then down, then none. `own`: the order by this column now. */
export function turned(own: SortOrder | undefined, title: string): SortOrder | undefined {
  if (own === undefined) return { title, isDown: false };
  return own.isDown ? undefined : { title, isDown: true };
}
