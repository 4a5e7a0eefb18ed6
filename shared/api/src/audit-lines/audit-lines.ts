/** Writes an entry of the audit log as a line of each format, with its line break. */
import type { AuditFormat } from '../audit-query.js';
import type { AuditEntryView } from '../service-schema.js';
import { cefLine } from './audit-cef.js';
import { CSV_HEADER, csvLine } from './audit-csv.js';
import { syslogLine } from './audit-syslog.js';

export interface AuditLines {
  readonly contentType: string;
  /** The text before the first line; empty for none. */
  readonly header: string;
  line(entry: AuditEntryView): string;
}

export const AUDIT_LINES: Readonly<Record<AuditFormat, AuditLines>> = {
  jsonl: {
    contentType: 'application/jsonl; charset=utf-8',
    header: '',
    line: (entry) => `${JSON.stringify(entry)}\n`,
  },
  csv: {
    contentType: 'text/csv; charset=utf-8; header=present',
    header: CSV_HEADER,
    line: csvLine,
  },
  rfc5424: { contentType: 'text/plain; charset=utf-8', header: '', line: syslogLine },
  cef: { contentType: 'text/plain; charset=utf-8', header: '', line: cefLine },
};
