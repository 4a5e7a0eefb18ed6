/** Handles a request for a signature, from its caller's signature to its answer. */
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import { sealEvidence } from '@countersign/core/write-evidence.js';
import { isReasonOfRules } from '@countersign/vault/policy/signing-policy.js';
import type { SigningOperation } from '@countersign/vault/operations/signing-operation.js';
import type { Answer, SignedExchange } from '../admission/exchange.js';
import type { RefusalRecorder } from '../requests/refusal-recorder.js';
import { refuseCaller } from '../requests/refuse-caller.js';
import { MAX_REFUSED_EVIDENCE } from '../requests/refused-request.js';
import { sayingUndecided } from '../requests/undecided.js';
import { admitSigning, type AdmitDeps } from './admit-signing.js';
import { awaitSignature, type AwaitDeps } from './await-signature.js';
import { holdSigning } from './hold-signing.js';
import type { EarlierBatchDeps } from './earlier-batch.js';
import { endOf, type SigningEnd } from './signing-log.js';

export type SigningDeps = AdmitDeps &
  AwaitDeps &
  EarlierBatchDeps & { readonly refusals: RefusalRecorder };

/**
 * Resolves to 200 with the signature, to 202 when it takes longer than the caller waits, or to a refusal. This node
 * records its own refusals here, the parties record theirs. Throws 504 when nobody can sign or a store cannot be
 * reached.
 */
export async function handleSigningOperation(
  deps: SigningDeps,
  operation: SigningOperation,
  exchange: SignedExchange,
): Promise<Answer> {
  const { requestId, params, arrivedAt: since } = exchange;
  const note = (outcome: SigningEnd) =>
    deps.signingLog.note({ requestId, outcome, operation, params, since });
  const admitted = await admitSigning(deps, operation, exchange).catch((error: unknown) => {
    note('failed');
    throw error;
  });
  switch (admitted.step) {
    case 'refuse':
      note(endOf(admitted.refusal));
      return recordRefusal(deps, operation, exchange, admitted.refusal);
    case 'answer':
      note('repeated');
      return admitted.answer;
    case 'hold': {
      const answer = await sayingUndecided(() => holdSigning(deps, exchange, admitted.asked));
      note(isRefusal(answer) ? endOf(answer) : 'held');
      return answer;
    }
    case 'sign':
      return sayingUndecided(() => awaitSignature(deps, exchange, admitted.signing));
  }
}

function recordRefusal(
  deps: SigningDeps,
  operation: SigningOperation,
  exchange: SignedExchange,
  refusal: Refusal,
): Promise<Refusal> {
  const target = operation.findTarget(deps.follower.state, exchange.params);
  const keyId = isRefusal(target) ? exchange.params['key_id'] : target.key.id;
  const evidence = evidenceOfRefusal(deps, exchange, refusal);
  return refuseCaller(deps, operation.id, exchange, refusal, { keyId, evidence });
}

/** The evidence of a request that rules refused is kept if it is small, so that it can be tried on other rules. */
function evidenceOfRefusal(
  { evidenceKeys }: SigningDeps,
  { evidence }: SignedExchange,
  { refused: errType, message }: Refusal,
): Buffer | undefined {
  if (errType !== 'forbidden' || !isReasonOfRules(message)) return undefined;
  if (evidence.body.length > MAX_REFUSED_EVIDENCE) return undefined;
  const sealed = sealEvidence(evidence, evidenceKeys);
  return sealed.length > MAX_REFUSED_EVIDENCE ? undefined : sealed;
}
