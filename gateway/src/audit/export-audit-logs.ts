import type { AuditFormat, exportAuditLogsQuery } from '@countersign/api/audit-query.js';
import { LEDGER_CHAIN } from '@countersign/vault/audit/ledger-entry-view.js';
import type * as s from '@countersign/core/shapes.js';
import { AUDIT_LINES } from '@countersign/api/audit-lines/audit-lines.js';
import { firstPosition, readAuditPage, type AuditSources } from './audit-page.js';
import type { AuditFilter, AuditPosition } from './audit-position.js';
import type { AuditRow } from './audit-row.js';
import type { Journal } from '../govern/journal.js';
import { createLedgerBodies, type LedgerBodies } from './ledger-bodies.js';
import type { ExportSnapshot } from './export-snapshot.js';
import { createFindAuditRecords } from './record-audit.js';

const EXPORT_PAGE = 500;
/** The bodies of so many rows are in memory at once. */
const BODIES_AT_ONCE = 32;

export interface AuditExport {
  readonly contentType: string;
  /** Read from the stores page by page, as they are taken. */
  readonly lines: AsyncGenerator<string, void, undefined>;
}

export interface ExportSources extends AuditSources {
  readonly bodies: LedgerBodies;
}

interface Format {
  /** Restricts or extends what people read. */
  readonly filter: Pick<AuditFilter, 'isWhole'>;
  lines(rows: readonly AuditRow[], sources: ExportSources): AsyncIterable<string>;
}

/** For verifiers: everything that the hashes cover, and both records of each signature. */
const WHOLE: Format = { filter: { isWhole: true }, lines: evidentLines };

/** For people and their tools: the same rows as the list. */
function plainFormat(format: AuditFormat): Format {
  const { line } = AUDIT_LINES[format];
  return {
    filter: {},
    async *lines(rows) {
      for (const { entry } of rows) yield line(entry);
    },
  };
}

/** Exports the current audit log, newest first. The snapshot is released after the last line. */
export async function exportAuditLogs(
  journal: Journal,
  openSnapshot: () => Promise<ExportSnapshot>,
  query: s.OutputOf<typeof exportAuditLogsQuery>,
): Promise<AuditExport> {
  const { format = 'jsonl', ...filter } = query;
  // taken before the snapshot, which then contains everything in the journal
  const start = firstPosition(journal);
  const { client, release } = await openSnapshot();
  const findRecords = createFindAuditRecords(client);
  const sources = { journal, findRecords, bodies: createLedgerBodies(client) };
  async function* lines() {
    try {
      yield* exportLines(sources, filter, format, { start });
    } finally {
      await release();
    }
  }
  return { contentType: AUDIT_LINES[format].contentType, lines: lines() };
}

export interface ExportPages {
  readonly start?: AuditPosition;
  readonly size?: number;
}

/** The header, then a line for each entry, each with its line break. */
export async function* exportLines(
  sources: ExportSources,
  filter: AuditFilter,
  format: AuditFormat,
  { start = firstPosition(sources.journal), size = EXPORT_PAGE }: ExportPages = {},
): AsyncGenerator<string, void, undefined> {
  const { lines, filter: more } = format === 'jsonl' ? WHOLE : plainFormat(format);
  let position: AuditPosition | undefined = start;
  let head = AUDIT_LINES[format].header; // made after the first page is read: an export without its store has not begun
  const isUnfiltered = Object.values(filter).every((value) => value === undefined);
  if (format === 'jsonl' && isUnfiltered) yield* unjudgedLines(sources, start.ledgerSeq);
  while (position !== undefined) {
    const { rows, next }: Awaited<ReturnType<typeof readAuditPage>> = await readAuditPage(
      sources,
      { ...filter, ...more },
      position,
      size,
    );
    if (head !== '') yield head;
    head = '';
    yield* lines(rows, sources);
    position = next;
  }
}

/** Ledger entries that two parties have yet to judge: without them nothing would prove the ones before. */
async function* unjudgedLines(
  { bodies }: ExportSources,
  firstSeq: number,
): AsyncGenerator<string, void, undefined> {
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const some = await bodies.readBetween(firstSeq - 1, before, BODIES_AT_ONCE);
    for (const { seq, prevHash, hash, body } of some) {
      const place = { chain: LEDGER_CHAIN, seq, prev_hash: prevHash, hash };
      yield `${JSON.stringify({ ...place, record: ledgerRecord(body) })}\n`;
    }
    if (some.length < BODIES_AT_ONCE) return;
    before = some.at(-1)!.seq;
  }
}

async function* evidentLines(
  rows: readonly AuditRow[],
  { bodies }: ExportSources,
): AsyncGenerator<string, void, undefined> {
  for (let at = 0; at < rows.length; at += BODIES_AT_ONCE) {
    const some = rows.slice(at, at + BODIES_AT_ONCE);
    const ofLedger = some.filter(({ evidence }) => evidence === undefined);
    const found = await bodies.find(ofLedger.map(({ seq }) => seq));
    for (const { entry, seq, evidence } of some) {
      const more = evidence ?? { record: ledgerRecord(found.get(seq)) };
      yield `${JSON.stringify({ ...entry, ...more })}\n`;
    }
  }
}

/** The export goes on if the database has lost a body: the verifier says which. */
function ledgerRecord(body: Buffer | undefined): { writer: string; body: string | null } {
  return { writer: LEDGER_CHAIN, body: body?.toString('base64') ?? null };
}
