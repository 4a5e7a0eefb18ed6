import { z } from 'zod';
import { exportAuditLogsQuery, listAuditLogsQuery } from '../audit-query.js';
import { apiOperation, READ } from '../operation.js';
import { auditPage } from '../service-schema.js';
import { auditEntry, VAULT_ID } from './example-values.js';

const tag = 'audit-logs';

export const listAuditLogsOperation = apiOperation({
  ...READ,
  tag,
  id: 'list-audit-logs',
  method: 'GET',
  path: '/v1/audit-logs',
  summary: 'List audit log entries, newest first',
  description:
    'What was done and what was refused to known callers: changes from the ledger, signatures and refusals from the records of the processes that gave them. Only what matches every given filter is listed. Each entry names its hash chain; `countersign audit verify` checks an export offline. ' +
    'A page that this gateway has not read far enough to continue is refused with 504: ask again.',
  action: 'view_audit_logs',
  query: listAuditLogsQuery,
  response: auditPage,
  example: {
    query: { vault_ids: VAULT_ID, outcome: 'allowed', from: '2026-11-01T00:00:00Z' },
    response: { results: [auditEntry], next_cursor: null },
  },
});

export const exportAuditLogsOperation = apiOperation({
  ...READ,
  tag,
  id: 'export-audit-logs',
  method: 'GET',
  path: '/v1/audit-logs/export',
  summary: 'Export the audit log, newest first',
  description:
    'Streams every entry that the filters let through as it stands now, as JSON lines or CSV. The media type follows the parameter `format`. A stream that breaks off is incomplete: ask again. ' +
    'CSV has what the list has. JSON lines have all that `countersign audit verify` needs, words of parties about the ledger and both records of each signature included: each line has `record`, what its hash covers, and where a signature was given its `receipt`. Without filters, ledger entries that two parties have yet to judge stand first, with `chain`, `seq`, `prev_hash`, `hash` and `record` alone. Two exports at a time: another is answered 504.',
  action: 'view_audit_logs',
  query: exportAuditLogsQuery,
  response: z.string(),
  content: {
    'application/jsonl': 'One `AuditEntry` per line, with `record` and `receipt`.',
    'text/csv': 'One audit entry per line (RFC 4180), after a header line.',
  },
  example: {
    query: { format: 'jsonl', from: '2026-11-01T00:00:00Z' },
    response: `${JSON.stringify(auditEntry)}\n`,
  },
});

export const AUDIT_OPERATIONS = [listAuditLogsOperation, exportAuditLogsOperation] as const;
