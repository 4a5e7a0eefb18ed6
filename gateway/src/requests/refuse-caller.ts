import type { Refusal } from '@countersign/core/errors.js';
import type { SignedExchange } from '../admission/exchange.js';
import type { RefusalRecorder } from './refusal-recorder.js';
import type { RefusedRequest } from './refused-request.js';

/** Records that an authenticated request was refused, then gives the refusal back for the answer. */
export async function refuseCaller(
  deps: { readonly refusals: RefusalRecorder; readonly now: () => number },
  action: string,
  { caller, requestId, params }: Pick<SignedExchange, 'caller' | 'requestId' | 'params'>,
  refusal: Refusal,
  more: Pick<RefusedRequest, 'keyId' | 'evidence'> = {},
): Promise<Refusal> {
  await deps.refusals.record({
    at: deps.now(),
    action,
    actorId: caller.id,
    requestId,
    refusal,
    vaultId: params['vault_id'],
    walletAddress: params['address'],
    keyId: params['key_id'],
    ...more,
  });
  return refusal;
}
