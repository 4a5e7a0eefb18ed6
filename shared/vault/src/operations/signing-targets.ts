import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import type { Key, VaultState, Wallet } from '../state/state.js';
import { findVisibleKey } from './keys.js';
import { findRow, findWallet } from './lookups.js';

/** A key that is to sign, and the wallet that it belongs to, if any. */
export interface SigningTarget {
  readonly key: Key;
  readonly wallet: Wallet | undefined;
}

type Params = Readonly<Record<string, string>>;

/** A wallet with its key, or 404. Takes `vault_id` and `address`. */
export function findWalletTarget(state: VaultState, params: Params): SigningTarget | Refusal {
  const wallet = findWallet(state, params['vault_id'], params['address']);
  if (isRefusal(wallet)) return wallet;
  const key = findRow(state.keys, wallet.keyId);
  return isRefusal(key) ? key : { key, wallet };
}

/** A key, or 404. Takes `key_id`. */
export function findKeyTarget(state: VaultState, params: Params): SigningTarget | Refusal {
  const key = findVisibleKey(state, params['key_id']);
  return isRefusal(key) ? key : { key, wallet: undefined };
}
