/** Makes the answer to a signing request from its recorded outcome, now or when it is asked for again. */
import { receiptView } from '@countersign/api/receipt.js';
import { deny } from '@countersign/core/denials.js';
import { refuse, type Refusal } from '@countersign/core/errors.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import {
  openSigningDetails,
  provenReceipt,
  type DeniedOutcome,
  type SignedOutcome,
} from '@countersign/runtime/jobs/sign-outcome.js';
import { refuseFrozen, type Signed } from '@countersign/vault/operations/signing-operation.js';
import { reachedLimitIn } from '@countersign/vault/policy/velocity.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import type { AskedRequest } from './asked-request.js';

export const USED_BEFORE = refuse('unauthorized', 'the request was used before');

/** The answer to a request that was signed. Its outcome has been checked. */
export function answerOfSignResult(
  asked: AskedRequest,
  outcome: SignedOutcome,
  evidenceKeys: EvidenceKeys,
): unknown {
  const target = asked.findTarget(outcome.receipt.keyId);
  if (target === undefined) throw new Error('a signature of another key');
  const receipt = receiptView(provenReceipt(outcome));
  return asked.operation.answer(target, asked.input, signedOf(outcome, evidenceKeys), receipt);
}

/**
 * 403 while what signed is frozen: a signature that was recorded before a freeze but not yet answered is not given out
 * after it. `optimistic`: the newest state.
 */
export function refuseWhileFrozen(
  optimistic: VaultState,
  { receipt }: Pick<SignedOutcome, 'receipt'>,
  createdBy: string,
): Refusal | undefined {
  const key = optimistic.keys.rows.get(receipt.keyId);
  if (key === undefined) return undefined;
  const frozenUser = optimistic.users.rows.get(createdBy)?.frozen;
  if (frozenUser != null) return deny('frozen', 'user');
  return refuseFrozen(optimistic, { key, wallet: optimistic.wallets.rows.get(key.walletId ?? '') });
}

/** The parties' refusal, in their words. */
export function refusalOfDenied({ errType, reason }: DeniedOutcome): Refusal {
  const retryAfterS = errType === 'forbidden' ? reachedLimitIn(reason)?.retryAfterS : undefined;
  return { refused: errType, message: reason, ...(retryAfterS !== undefined && { retryAfterS }) };
}

/** What was opened while its outcome was checked, for its answer. */
const opened = new WeakMap<
  SignedOutcome,
  { readonly keys: EvidenceKeys; readonly signed: Signed }
>();

/** The recorded outcome in the form from which an operation answers. It is opened once. */
export function signedOf(outcome: SignedOutcome, keys: EvidenceKeys): Signed {
  const known = opened.get(outcome);
  if (known?.keys === keys) return known.signed;
  const signed = open(outcome, keys);
  opened.set(outcome, { keys, signed });
  return signed;
}

function open(outcome: SignedOutcome, evidenceKeys: EvidenceKeys): Signed {
  const { signature, details, receipt } = outcome;
  const { nonce, venueApiKey, passphrase } = openSigningDetails(details, receipt, evidenceKeys);
  const moment = { at: receipt.signedAt, nonce, requestId: receipt.requestId };
  return { signature, moment, venueApiKey, passphrase };
}
