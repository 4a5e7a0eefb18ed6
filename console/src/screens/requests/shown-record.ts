import type { OperationValue } from '@countersign/client/operation-calls.js';

/** As `GET /v1/requests/{request_id}` answers. */
export type RequestRecord = OperationValue<'get-request'>;
