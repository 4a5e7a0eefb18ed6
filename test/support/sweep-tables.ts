/** The tables of a sweep's counts, as docs/reference/venue-coverage.md and the sweep itself write them. */

/** By the name in a row's first cell: its numbers. `head`: how the table's first line begins. */
export function countedRows(markdown: string, head: string): Map<string, readonly number[]> {
  const lines = markdown.slice(markdown.indexOf(head)).split('\n');
  const end = lines.findIndex((line) => !line.startsWith('|'));
  const rows = lines.slice(2, end === -1 ? undefined : end).map(cellsOf);
  return new Map(rows.map(([name = '', ...cells]) => [name, cells.filter(isNumber).map(Number)]));
}

function cellsOf(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.replaceAll('`', '').trim());
}

function isNumber(cell: string): boolean {
  return /^\d+$/.test(cell);
}
