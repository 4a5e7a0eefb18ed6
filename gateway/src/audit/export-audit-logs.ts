import type { exportAuditLogsQuery } from '@countersign/api/audit-query.js';
import { LEDGER_CHAIN } from '@countersign/vault/views/ledger-entry-view.js';
import type { z } from 'zod';
import type { ReadContext } from '../reads/read-operation.js';
import { CSV_HEADER, csvLine } from './audit-csv.js';
import { firstPosition, readAuditPage, type AuditSources } from './audit-page.js';
import type { AuditFilter, AuditPosition } from './audit-position.js';
import type { AuditRow } from './audit-row.js';
import { createFindLedgerBodies, type FindLedgerBodies } from './ledger-bodies.js';
import { createFindAuditRecords } from './record-audit.js';

const EXPORT_PAGE = 500;
/** Rows of which the bodies are in memory at once. */
const BODIES_AT_ONCE = 32;

export interface AuditExport {
  readonly contentType: string;
  /** Read from the stores page by page, as they are taken. */
  readonly lines: AsyncGenerator<string, void, undefined>;
}

export interface ExportSources extends AuditSources {
  readonly findBodies: FindLedgerBodies;
}

interface Format {
  readonly contentType: string;
  readonly header: string;
  /** What is in it beside that which people read. */
  readonly filter: Pick<AuditFilter, 'isWhole'>;
  lines(rows: readonly AuditRow[], sources: ExportSources): AsyncIterable<string>;
}

const FORMATS: Readonly<Record<'jsonl' | 'csv', Format>> = {
  /** For verifiers: with all that the hashes cover, and with both records of each signature. */
  jsonl: {
    contentType: 'application/jsonl; charset=utf-8',
    header: '',
    filter: { isWhole: true },
    lines: evidentLines,
  },
  /** For people: the same as the list. */
  csv: {
    contentType: 'text/csv; charset=utf-8; header=present',
    header: CSV_HEADER,
    filter: {},
    async *lines(rows) {
      for (const { entry } of rows) yield csvLine(entry);
    },
  },
};

/** The audit log as it stands now, newest first. */
export function exportAuditLogs(
  { journal, pool }: Pick<ReadContext, 'journal' | 'pool'>,
  query: z.output<typeof exportAuditLogsQuery>,
): AuditExport {
  const { format = 'jsonl', ...filter } = query;
  const findRecords = createFindAuditRecords(pool);
  const sources = { journal, findRecords, findBodies: createFindLedgerBodies(pool) };
  return {
    contentType: FORMATS[format].contentType,
    lines: exportLines(sources, filter, format),
  };
}

/** The header, then a line for each entry, each with its line break. */
export async function* exportLines(
  sources: ExportSources,
  filter: AuditFilter,
  format: keyof typeof FORMATS,
  pageSize = EXPORT_PAGE,
): AsyncGenerator<string, void, undefined> {
  const { header, lines, filter: more } = FORMATS[format];
  let position: AuditPosition | undefined = firstPosition(sources.journal);
  let head = header; // after the first page is there: without its store an export has not even begun
  while (position !== undefined) {
    const { rows, next }: Awaited<ReturnType<typeof readAuditPage>> = await readAuditPage(
      sources,
      { ...filter, ...more },
      position,
      pageSize,
    );
    if (head !== '') yield head;
    head = '';
    yield* lines(rows, sources);
    position = next;
  }
}

async function* evidentLines(
  rows: readonly AuditRow[],
  { findBodies }: ExportSources,
): AsyncGenerator<string, void, undefined> {
  for (let at = 0; at < rows.length; at += BODIES_AT_ONCE) {
    const some = rows.slice(at, at + BODIES_AT_ONCE);
    const ofLedger = some.filter(({ evidence }) => evidence === undefined);
    const bodies = await findBodies(ofLedger.map(({ seq }) => seq));
    for (const row of some) yield `${JSON.stringify({ ...row.entry, ...evidenceOf(row, bodies) })}\n`;
  }
}

function evidenceOf(
  { evidence, seq }: AuditRow,
  bodies: ReadonlyMap<number, Buffer>,
): Record<string, unknown> {
  if (evidence !== undefined) return { ...evidence };
  return { record: { writer: LEDGER_CHAIN, body: bodies.get(seq)?.toString('base64') ?? null } };
}
