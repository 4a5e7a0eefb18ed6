/** The sweep's counts as tables. */
import { DESKS } from './desks.js';
import type { SweptRequest } from './run-sweep.js';
import type { SweptLibrary } from './sweep-libraries.js';

const REASONS = [
  'class',
  'no size',
  'size',
  'symbol',
  'handed on',
  'parameter',
  'endpoint',
  'form',
] as const;

/** Per venue: how many are signed, by class, and how many are not, by reason. Markdown. */
export function countTable(requests: readonly SweptRequest[]): string {
  const venues = [...new Set(DESKS.map(({ venueId }) => venueId))];
  const rows = venues.map((venueId) =>
    countRow(
      `\`${venueId}\``,
      requests.filter((swept) => swept.venueId === venueId),
    ),
  );
  return markdownTable('venue', rows);
}

/** The same per library. Markdown. */
export function libraryTable(libraries: readonly SweptLibrary[]): string {
  const rows = libraries.map(({ library, requests }) => countRow(library, requests));
  return markdownTable('library', rows);
}

type CountRow = readonly [name: string, ...counts: number[]];

function countRow(name: string, requests: readonly SweptRequest[]): CountRow {
  const signed = requests.filter(({ isSigned }) => isSigned);
  const classes = ['read', 'cancel', 'trade'].map(
    (known) => signed.filter(({ operationClass }) => operationClass === known).length,
  );
  const refused = REASONS.map(
    (why) => requests.filter(({ refusal }) => refusal?.why === why).length,
  );
  return [name, requests.length, signed.length, ...classes, ...refused];
}

function markdownTable(first: string, rows: readonly CountRow[]): string {
  const head = [first, 'requests', 'signed', 'read', 'cancel', 'trade', ...REASONS];
  const total = head
    .slice(1)
    .map((_name, at) => rows.reduce((sum, row) => sum + Number(row[at + 1]), 0));
  return [head, head.map(() => '---'), ...rows, ['all', ...total]]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}

/** Per venue, reason and endpoint: how many, and by which of ccxt's methods. */
export function refusedTable(requests: readonly SweptRequest[]): string {
  const groups = new Map<string, SweptRequest[]>();
  for (const swept of requests) {
    if (swept.refusal === undefined) continue;
    const { method, path } = swept.request;
    const place = path.replaceAll(/[0-9a-f-]{30,}/g, '{id}');
    const name = [swept.venueId, swept.refusal.why, method, place].join(' ');
    groups.set(name, [...(groups.get(name) ?? []), swept]);
  }
  return [...groups]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(
      ([name, group]) =>
        `${name}: ${group.length}, ${group[0]!.method}, ${group[0]!.refusal!.text}`,
    )
    .join('\n');
}
