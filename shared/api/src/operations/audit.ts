import * as s from '@countersign/core/shapes.js';
import {
  exportAuditLogsQuery,
  listAuditChainsQuery,
  listAuditLogsQuery,
  readAuditChainQuery,
} from '../audit-query.js';
import { apiOperation, READ } from '../operation.js';
import { auditChainEntries, auditChainList, auditPage } from '../service-schema.js';
import { auditEntry, VAULT_ID } from '../example-values.js';

const tag = 'audit-logs';

export const listAuditLogsOperation = apiOperation({
  ...READ,
  tag,
  id: 'list-audit-logs',
  path: '/v1/audit-logs',
  summary: 'List audit log entries, newest first',
  description:
    'What was done, and what was refused to known callers. Changes come from the ledger, signatures and refusals from the records of the processes that gave them. Only what matches every given filter is listed. Each entry names its hash chain; `countersign audit verify` checks an export offline. ' +
    'Answers 504 while this gateway has not read far enough to continue: ask again.',
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
  path: '/v1/audit-logs/export',
  summary: 'Export the audit log, newest first',
  description:
    'Streams every entry that the filters select, as it is now. The form is JSON lines, CSV, syslog messages (RFC 5424, with structured data) or Common Event Format. The media type follows the parameter `format`. A stream that breaks off is incomplete: ask again. ' +
    'The other forms have what the list has. JSON lines have all that `countersign audit verify` needs, statements of parties about the ledger and both records of each signature included. Each line has `record`, which its hash covers. Where a signature was given it has its `receipt`. Without filters, ledger entries that two parties have yet to judge stand first, with `chain`, `seq`, `prev_hash`, `hash` and `record` alone. A gateway runs two exports at a time and answers others 504.',
  action: 'view_audit_logs',
  query: exportAuditLogsQuery,
  response: s.string(),
  content: {
    'application/jsonl': 'One `AuditEntry` per line, with `record` and `receipt`.',
    'text/csv': 'One audit entry per line (RFC 4180), after a header line.',
    'text/plain':
      'One audit entry per line: a syslog message (RFC 5424), or an event in Common Event Format.',
  },
  example: {
    query: { format: 'jsonl', from: '2026-11-01T00:00:00Z' },
    response: `${JSON.stringify(auditEntry)}\n`,
  },
});

export const listAuditChainsOperation = apiOperation({
  ...READ,
  tag,
  id: 'list-audit-chains',
  path: '/v1/audit-logs/chains',
  summary: 'List the chains of the audit log, and how far each has come',
  description:
    'The audit log is several hash chains: the ledger, and one for each run of a process that gave or refused signatures. Whoever follows the log asks for this list, and then for what is new in each chain (`countersign audit follow` does so). ' +
    'A chain never becomes shorter: one that does was changed in the database.',
  action: 'view_audit_logs',
  query: listAuditChainsQuery,
  response: auditChainList,
  example: { response: { results: [{ name: 'ledger', seq: 42 }], next_cursor: null } },
});

export const readAuditChainOperation = apiOperation({
  ...READ,
  tag,
  id: 'read-audit-chain',
  path: '/v1/audit-logs/chains/{chain}',
  summary: 'Read one chain of the audit log, oldest first',
  description:
    'Entries of one chain after `after`, without a gap: the gateway gives nothing behind a missing entry. Every entry of the chain is here, statements of parties about the ledger and both records of each signature included. ' +
    'Each entry has the hash of the one before it as `prev_hash`. A chain without entries, or an unknown one, is an empty list.',
  action: 'view_audit_logs',
  query: readAuditChainQuery,
  response: auditChainEntries,
  example: { query: { after: '41' }, response: { results: [auditEntry] } },
});

export const AUDIT_OPERATIONS = [
  listAuditLogsOperation,
  exportAuditLogsOperation,
  listAuditChainsOperation,
  readAuditChainOperation,
] as const;
