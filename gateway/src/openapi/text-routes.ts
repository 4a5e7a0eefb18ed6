import type { RequestTarget } from '@countersign/vault/operations/operation.js';
import { exportAuditLogsQuery } from '@countersign/api/audit-query.js';
import type { z } from 'zod';

/** An endpoint whose answer is text of some media type rather than one JSON value. */
export interface TextRoute extends RequestTarget {
  readonly id: string;
  readonly summary: string;
  readonly needsCredential: boolean;
  readonly query?: z.ZodType;
  /** Media type -> what it holds. */
  readonly content: Readonly<Record<string, string>>;
}

export const TEXT_ROUTES: readonly TextRoute[] = [
  {
    id: 'export-audit-logs',
    method: 'GET',
    path: '/v1/audit-logs/export',
    summary: 'Export the audit log, newest first',
    needsCredential: true,
    query: exportAuditLogsQuery,
    content: {
      'application/jsonl': 'One AuditEntry per line.',
      'text/csv': 'One audit entry per line, after a header line.',
    },
  },
  {
    id: 'get-openapi-json',
    method: 'GET',
    path: '/openapi.json',
    summary: 'This description as JSON',
    needsCredential: false,
    content: { 'application/json': 'An OpenAPI 3.1 document.' },
  },
  {
    id: 'get-openapi-yaml',
    method: 'GET',
    path: '/openapi.yaml',
    summary: 'This description as YAML',
    needsCredential: false,
    content: { 'application/yaml': 'An OpenAPI 3.1 document.' },
  },
];
