import { LEDGER_OPERATIONS } from '@countersign/shared/operations/ledger-operations.js';
import { SIGNING_OPERATIONS } from '@countersign/shared/operations/signing-operations.js';
import { SERVICE_ROUTES } from '../http/service-routes.js';
import { evaluateRoute } from '../reads/evaluate-route.js';
import { READ_OPERATIONS } from '../reads/read-operations.js';
import { createOpenApiDocument } from './openapi-document.js';

export function describeApi() {
  return createOpenApiDocument({
    ledgerOperations: LEDGER_OPERATIONS,
    signingOperations: SIGNING_OPERATIONS,
    readOperations: [...READ_OPERATIONS, evaluateRoute],
    serviceRoutes: SERVICE_ROUTES,
  });
}
