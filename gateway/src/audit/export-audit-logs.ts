import type { exportAuditLogsQuery } from '@countersign/api/audit-query.js';
import type { z } from 'zod';
import type { ReadContext } from '../reads/read-operation.js';
import { CSV_HEADER, csvLine } from './audit-csv.js';
import { firstPosition, readAuditPage, type AuditSources } from './audit-page.js';
import type { AuditFilter, AuditPosition } from './audit-position.js';
import type { AuditEntry } from './audit-row.js';
import { createFindAuditRecords } from './record-audit.js';

const EXPORT_PAGE = 500;

const FORMATS = {
  jsonl: {
    contentType: 'application/jsonl; charset=utf-8',
    header: '',
    line: (entry: AuditEntry) => `${JSON.stringify(entry)}\n`,
  },
  csv: {
    contentType: 'text/csv; charset=utf-8; header=present',
    header: CSV_HEADER,
    line: csvLine,
  },
} as const;

export interface AuditExport {
  readonly contentType: string;
  /** Read from the stores page by page, as they are taken. */
  readonly lines: AsyncGenerator<string, void, undefined>;
}

/** The audit log as it stands now, newest first. */
export function exportAuditLogs(
  { journal, pool }: Pick<ReadContext, 'journal' | 'pool'>,
  query: z.output<typeof exportAuditLogsQuery>,
): AuditExport {
  const { format = 'jsonl', ...filter } = query;
  const sources = { journal, findRecords: createFindAuditRecords(pool) };
  return {
    contentType: FORMATS[format].contentType,
    lines: exportLines(sources, { ...filter, withWords: true }, format),
  };
}

/** The header, then a line for each entry, each with its line break. */
export async function* exportLines(
  sources: AuditSources,
  filter: AuditFilter,
  format: keyof typeof FORMATS,
  pageSize = EXPORT_PAGE,
): AsyncGenerator<string, void, undefined> {
  const { header, line } = FORMATS[format];
  let position: AuditPosition | undefined = firstPosition(sources.journal);
  let head = header; // after the first page is there: without its store an export has not even begun
  while (position !== undefined) {
    const { rows, next }: Awaited<ReturnType<typeof readAuditPage>> = await readAuditPage(
      sources,
      filter,
      position,
      pageSize,
    );
    if (head !== '') yield head;
    head = '';
    for (const { entry } of rows) yield line(entry);
    position = next;
  }
}
