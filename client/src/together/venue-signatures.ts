/** Signatures of venue requests under one key of the vault. */
import type { CallResult } from '../answers/call-result.js';
import type { CountersignClient } from '../calls/countersign-client.js';
import type { OperationInput } from '../calls/operation-request.js';
import type { OperationValue } from '../calls/operation-calls.js';
import { signTogether } from './sign-together.js';

export type VenueRequest = OperationInput<'sign-with-key'>['body']['venue_request'];

export interface KeyOfVault {
  readonly client: Pick<CountersignClient, 'call'>;
  /** UUID of the key in the vault. */
  readonly keyId: string;
  /** Of each signature, approvals included; the client's when absent. */
  readonly waitMs?: number;
}

/** Those of one turn of the event loop leave as one batch. Throws what `call` throws. */
export function createVenueSignatures({
  client,
  keyId,
  waitMs,
}: KeyOfVault): (request: VenueRequest) => Promise<CallResult<OperationValue<'sign-with-key'>>> {
  const params = { key_id: keyId };
  return signTogether(
    {
      one: (request, options) =>
        client.call('sign-with-key', { params, body: { venue_request: request }, ...options }),
      many: (requests, options) =>
        client.call('sign-batch-with-key', {
          params,
          body: { venue_requests: requests },
          ...options,
        }),
    },
    waitMs,
  );
}
