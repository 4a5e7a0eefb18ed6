/** What has become of the keys that a change asks the parties to make. It is told to callers, and judges nothing. */
import {
  bulkGenerateKeysRequest,
  generateKeyRequest,
  importKeyRequest,
} from '@countersign/api/requests/keys.js';
import { bulkCreateWalletsRequest, createWalletRequest } from '@countersign/api/requests/vaults.js';
import { refuse, type Refusal } from '@countersign/core/errors.js';
import type { VaultState } from '../state/state.js';
import type { LedgerOperation, Subject } from './ledger-operation.js';

const MAKE_KEYS: ReadonlySet<string> = new Set(
  [
    ...[generateKeyRequest, importKeyRequest, bulkGenerateKeysRequest],
    ...[createWalletRequest, bulkCreateWalletsRequest],
  ].map(({ id }) => id),
);

/** Whether the operation is work for the parties once its entry is accepted. */
export function makesKeys({ id }: Pick<LedgerOperation, 'id'>): boolean {
  return MAKE_KEYS.has(id);
}

/** Whether the parties still have to attest a key that the operation made. */
export function isKeyPending(
  state: VaultState,
  operation: Pick<LedgerOperation, 'id'>,
  { keyIds = [] }: Subject,
): boolean {
  return makesKeys(operation) && keyIds.some((id) => state.keys.indexes.pending.has(id));
}

/** Why a requested key will never be made, once a party has said so. */
export function findKeyFailure(
  state: VaultState,
  operation: Pick<LedgerOperation, 'id'>,
  { keyIds = [] }: Subject,
): Refusal | undefined {
  if (!makesKeys(operation)) return undefined;
  const failed = keyIds.flatMap((id) => state.keys.rows.get(id)?.failure ?? []);
  return failed[0] === undefined ? undefined : refuse('invalid_inputs', failed[0]);
}
