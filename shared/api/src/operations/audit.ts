import * as s from '@countersign/core/shapes.js';
import {
  exportAuditLogsQuery,
  listAuditChainsQuery,
  listAuditLogsQuery,
  readAuditChainQuery,
} from '../audit-query.js';
import { apiOperation, READ } from '../operation.js';
import {
  AUDIT_CHAIN_NAME,
  auditChainEntries,
  auditChainList,
  auditPage,
} from '../service-schema.js';
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
    'Streams every entry that the filters let through as it stands now, as JSON lines, CSV, syslog messages (RFC 5424, with structured data) or Common Event Format. The media type follows the parameter `format`. A stream that breaks off is incomplete: ask again. ' +
    'All but JSON lines have what the list has. JSON lines have all that `countersign audit verify` needs, words of parties about the ledger and both records of each signature included: each line has `record`, what its hash covers, and where a signature was given its `receipt`. Without filters, ledger entries that two parties have yet to judge stand first, with `chain`, `seq`, `prev_hash`, `hash` and `record` alone. Two exports at a time: another is answered 504.',
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
  method: 'GET',
  path: '/v1/audit-logs/chains',
  summary: 'List the chains of the audit log, and how far each has come',
  description:
    'The audit log is several hash chains: the ledger, and one for each process that gave or refused signatures, from its start on. Whoever follows the log asks for this list, and then for what is new in each chain (`countersign audit follow` does so). ' +
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
  method: 'GET',
  path: '/v1/audit-logs/chains/{chain}',
  summary: 'Read one chain of the audit log, oldest first',
  description:
    'Entries of one chain after `after`, without a gap: what is missing is waited for, and nothing behind it is given before. Every entry of the chain is here, words of parties about the ledger and both records of each signature included. ' +
    'Each entry has the hash of the one before it as `prev_hash`. A chain that has no entries, or is none, is an empty list.',
  action: 'view_audit_logs',
  params: {
    chain: {
      description: 'The chain: its `name` in the list of chains.',
      schema: s.string().regex(AUDIT_CHAIN_NAME),
      example: 'ledger',
    },
  },
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
