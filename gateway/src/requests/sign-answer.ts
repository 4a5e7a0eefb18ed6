/** What a signature is answered with, made of its recorded outcome: now, or when it is asked for again. */
import { receiptView } from '@countersign/api/receipt.js';
import { addressOf } from '@countersign/chains/addresses.js';
import { parseBase64, type Bytes } from '@countersign/core/bytes.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import { decodeSealedEvidence } from '@countersign/core/evidence.js';
import type { EvidenceKeys } from '@countersign/core/evidence-key.js';
import { NETWORK_FAMILIES } from '@countersign/core/vocabulary.js';
import { openSigningDetails, type SignedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import { parseInput } from '@countersign/vault/operations/operation-input.js';
import {
  refuseFrozen,
  type Signed,
  type SigningTarget,
} from '@countersign/vault/operations/signing-operation.js';
import { findSigningOperation } from '@countersign/vault/operations/signing-operations.js';
import type { Key, VaultState, Wallet } from '@countersign/vault/state/state.js';

/** The answer to a request that was signed, from its evidence and the lead's recorded outcome. */
export function answerOfSignResult(
  state: VaultState,
  outcome: SignedOutcome,
  sealedEvidence: Bytes,
  evidenceKeys: EvidenceKeys,
): unknown {
  const evidence = decodeSealedEvidence(sealedEvidence);
  const matched = findSigningOperation(evidence.method, evidence.path);
  if (matched === undefined) throw new Error('the evidence of a signature is no signing request');
  const { operation, params } = matched;
  const input = parseInput(operation, { params, query: evidence.query, body: evidence.body });
  if (isRefusal(input)) {
    throw new Error(`the evidence of a signature does not parse: ${input.message}`);
  }
  const target = signedTarget(state, outcome.receipt.keyId, params);
  const receipt = receiptView(outcome.receipt, outcome.receiptSignatures);
  return operation.answer(target, input, signedOf(outcome, evidenceKeys), receipt);
}

/**
 * 403 while what signed is frozen: a signature that was recorded before a freeze, and came too late to be answered,
 * is not given out after it. `tip`: the newest state.
 */
export function refuseWhileFrozen(
  tip: VaultState,
  { receipt }: Pick<SignedOutcome, 'receipt'>,
  createdBy: string,
): Refusal | undefined {
  const key = tip.keys.rows.get(receipt.keyId);
  if (key === undefined) return undefined;
  const frozenUser = tip.users.rows.get(createdBy)?.frozen;
  if (frozenUser != null) return refuse('forbidden', 'the user is frozen');
  return refuseFrozen(tip, { key, wallet: tip.wallets.rows.get(key.walletId ?? '') });
}

/** The recorded outcome as an operation answers from it. */
export function signedOf(outcome: SignedOutcome, evidenceKeys: EvidenceKeys): Signed {
  const { signature, details, receipt } = outcome;
  const { nonce, venueApiKey, passphrase } = openSigningDetails(details, receipt, evidenceKeys);
  const moment = { at: receipt.signedAt, nonce, requestId: receipt.requestId };
  return { signature, moment, venueApiKey, passphrase };
}

function signedTarget(
  state: VaultState,
  keyId: string,
  params: Readonly<Record<string, string>>,
): SigningTarget {
  const key = state.keys.rows.get(keyId);
  if (key === undefined) throw new Error(`key ${keyId} does not exist`);
  if (key.walletId === null) return { key, wallet: undefined };
  const wallet = state.wallets.rows.get(key.walletId) ?? removedWallet(key, key.walletId, params);
  return { key, wallet };
}

/** A removed wallet's key and address outlive it: its signatures can still be read. */
function removedWallet(
  key: Key,
  walletId: string,
  params: Readonly<Record<string, string>>,
): Wallet {
  const address = params['address'] ?? '';
  const publicKey = parseBase64(key.publicKey) ?? Buffer.alloc(0);
  const networkFamily = NETWORK_FAMILIES.find((family) => addressOf(family, publicKey) === address);
  if (networkFamily === undefined) throw new Error(`wallet ${walletId} has another address`);
  return {
    id: walletId,
    vaultId: params['vault_id'] ?? '',
    networkFamily,
    networks: [],
    displayName: key.displayName,
    keyId: key.id,
    address,
    frozen: null,
    createdAt: key.createdAt,
    createdBy: key.createdBy,
    lastUpdatedAt: key.lastUpdatedAt,
    lastUpdatedBy: key.lastUpdatedBy,
  };
}
