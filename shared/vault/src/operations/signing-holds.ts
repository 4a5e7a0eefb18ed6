/**
 * Requests for signatures in the ledger, where a rule asks for approvals: who asks for what, unread. Reading the
 * request needs catalogues, which the fold does not have; see `ledger/pending-signing.ts`.
 */
import * as requests from '@countersign/api/requests/signing.js';
import type { RequestTarget } from '@countersign/api/requests/api-request.js';
import { deny } from '@countersign/core/fold-denials.js';
import type { Refusal } from '@countersign/core/errors.js';
import type { SigningOperationName } from '@countersign/core/vocabulary.js';
import * as s from '@countersign/core/shapes.js';
import type { VaultState } from '../state/state.js';
import { ledgerOperation, type LedgerOperation } from './ledger-operation.js';
import { findKeyTarget, findWalletTarget, type SigningTarget } from './signing-targets.js';

type FindTarget = (
  state: VaultState,
  params: Readonly<Record<string, string>>,
) => SigningTarget | Refusal;

export interface SigningHold extends LedgerOperation {
  /** Its name in policies. */
  readonly signs: SigningOperationName;
  readonly findTarget: FindTarget;
}

const NO_CHANGE = deny('no_change');

function hold(
  request: RequestTarget & { readonly id: string },
  signs: SigningOperationName,
  findTarget: FindTarget,
): SigningHold {
  const operation = ledgerOperation({
    ...request,
    action: 'self',
    // parties read it when they sign; here it is bytes
    query: s.unknown(),
    body: s.unknown(),
    apply: () => NO_CHANGE,
  });
  return { ...operation, signs, findTarget };
}

/** One for each operation that signs, under its id. */
export const SIGNING_HOLDS: readonly SigningHold[] = [
  hold(requests.signRequest, 'sign', findWalletTarget),
  hold(requests.rawSignRequest, 'raw_sign', findWalletTarget),
  hold(requests.rawSignWithKeyRequest, 'raw_sign', findKeyTarget),
  hold(requests.signWithKeyRequest, 'sign', findKeyTarget),
];
