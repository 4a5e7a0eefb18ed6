/** Tables of the documents, for tests that compare them with the code. */
import { readFileSync } from 'node:fs';

/** A row by the names of its columns; cells are as they are written. */
export type TableRow = Readonly<Record<string, string>>;

/** The rows of all tables of a page whose first column has this name. */
export function tableRows(page: string, firstColumn: string): TableRow[] {
  const rows: TableRow[] = [];
  let columns: readonly string[] = [];
  for (const line of readFileSync(page, 'utf8').split('\n')) {
    const cells = line.startsWith('|') ? cellsOf(line) : [];
    if (cells.length === 0) columns = [];
    else if (columns.length === 0) columns = cells;
    else if (columns[0] === firstColumn && !cells.every((cell) => /^-+$/.test(cell))) {
      rows.push(Object.fromEntries(columns.map((name, at) => [name, cells[at] ?? ''])));
    }
  }
  return rows;
}

/** What stands in backticks in a cell. */
export const codesIn = (cell: string): string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);

const cellsOf = (line: string) =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
