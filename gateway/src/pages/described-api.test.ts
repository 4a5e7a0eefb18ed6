/** What is described is implemented, and what is implemented is described: each from the same data. */
import { describe, expect, test } from '@jest/globals';
import type { ApiOperation } from '@countersign/api/operation.js';
import type { ApiRequest } from '@countersign/api/requests/api-request.js';
import {
  API_OPERATIONS,
  API_TAGS,
  type OperationId,
} from '@countersign/api/operations/api-operations.js';
import { exportAuditLogsOperation } from '@countersign/api/operations/audit.js';
import { passkeyOptionsOperation } from '@countersign/api/operations/passkeys.js';
import {
  openQueueSessionOperation,
  streamSystemOperationsOperation,
} from '@countersign/api/operations/system-operations.js';
import { DOCUMENT_OPERATIONS } from '@countersign/api/operations/documents.js';
import { LEDGER_OPERATIONS } from '@countersign/vault/operations/ledger-operations.js';
import { SIGNING_BATCHES } from '@countersign/vault/operations/signing-batches.js';
import { SIGNING_OPERATIONS } from '@countersign/vault/operations/signing-operations.js';
import { SERVICE_ROUTES } from '../watch/service-routes.js';
import { createBacktestRoute } from '../read/backtest-route.js';
import { evaluateRoute } from '../read/evaluate-route.js';
import { resendEvents } from '../read/webhook-deliveries.js';
import { READ_OPERATIONS } from '../read-operations.js';
import { createDocuments } from './fixed-documents.js';

const described: readonly ApiOperation[] = Object.values(API_OPERATIONS);

/** The audit export, the stream of figures, the session for the queues and the passkey options are routes of their own, which take path and id from their descriptions. */
const others: readonly ApiOperation[] = [
  ...SIGNING_OPERATIONS,
  ...SIGNING_BATCHES,
  ...READ_OPERATIONS,
  evaluateRoute,
  createBacktestRoute(),
  resendEvents,
  exportAuditLogsOperation,
  streamSystemOperationsOperation,
  openQueueSessionOperation,
  passkeyOptionsOperation,
  ...SERVICE_ROUTES,
  ...DOCUMENT_OPERATIONS,
];

const implemented: readonly ApiRequest[] = [...LEDGER_OPERATIONS, ...others];

const idsOf = (operations: readonly ApiRequest[]) => operations.map(({ id }) => id).toSorted();

describe('the description of the API', () => {
  test('covers what is implemented, and nothing else', () => {
    expect(idsOf(described)).toEqual(idsOf(implemented));
    expect(new Set(idsOf(implemented)).size).toBe(implemented.length);
  });

  test('is what the implementation was made from', () => {
    for (const operation of implemented) {
      const { id, method, path, action, query, body, ...told } =
        API_OPERATIONS[operation.id as OperationId];
      expect(operation).toMatchObject({ id, method, path, action });
      expect(operation.query).toBe(query);
      expect(operation.body).toBe(body);
      expect(operation.bodyOptional).toBe('bodyOptional' in told ? told.bodyOptional : undefined);
    }
    for (const operation of others) {
      const description = API_OPERATIONS[operation.id as OperationId];
      expect(operation).toMatchObject(description);
      expect(operation.response).toBe(description.response);
    }
  });

  test('names every document that is served, and each is served', () => {
    const served = [...createDocuments()].filter(
      ([path, { contentType }]) => !path.startsWith('/docs/') || contentType.includes('html'),
    );
    expect(served.map(([path]) => path).toSorted()).toEqual(
      DOCUMENT_OPERATIONS.map(({ path }) => path).toSorted(),
    );
    for (const { path, content } of DOCUMENT_OPERATIONS) {
      const type = createDocuments().get(path)?.contentType.split(';')[0];
      expect(Object.keys(content ?? {})).toEqual([type]);
    }
  });

  test('says what each write is: signed, recorded, and asked about afterwards', () => {
    for (const { id } of [...LEDGER_OPERATIONS, ...SIGNING_OPERATIONS]) {
      expect(API_OPERATIONS[id as OperationId]).toMatchObject({
        authentication: 'signed',
        isAsync: true,
      });
    }
    for (const operation of [...READ_OPERATIONS, exportAuditLogsOperation]) {
      expect(operation).toMatchObject({ method: 'GET', authentication: 'credential' });
      expect(operation).not.toHaveProperty('isAsync');
    }
    for (const operation of [...SERVICE_ROUTES, ...DOCUMENT_OPERATIONS]) {
      expect(operation).toMatchObject({ authentication: 'none', action: 'none' });
    }
  });

  test('sorts every operation under a described tag, and has no tag without operations', () => {
    const used = new Set(described.map(({ tag }) => tag));
    expect([...used].toSorted()).toEqual(Object.keys(API_TAGS).toSorted());
  });
});
