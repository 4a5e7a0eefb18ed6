import { LEDGER_OPERATIONS } from '@countersign/vault/operations/ledger-operations.js';
import { SIGNING_OPERATIONS } from '@countersign/vault/operations/signing-operations.js';
import { SERVICE_ROUTES } from '../service/service-routes.js';
import { evaluateRoute } from '../reads/evaluate-route.js';
import { READ_OPERATIONS } from '../app/read-operations.js';
import { createOpenApiDocument } from './openapi-document.js';

export function describeApi() {
  return createOpenApiDocument({
    ledgerOperations: LEDGER_OPERATIONS,
    signingOperations: SIGNING_OPERATIONS,
    readOperations: [...READ_OPERATIONS, evaluateRoute],
    serviceRoutes: SERVICE_ROUTES,
  });
}
