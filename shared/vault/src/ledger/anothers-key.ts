import { toBase64, type Bytes } from '@countersign/core/bytes.js';
import { statedMark } from '../state/key-marks.js';
import { ownerOf } from '../state/public-key-owners.js';
import type { Key, VaultState } from '../state/state.js';

/** Whether this public key is or was another key's. If so, no party vouches for it as this one's. */
export function isAnothersKey(
  { keys }: VaultState,
  { id, type }: Pick<Key, 'id' | 'type'>,
  publicKey: Bytes,
): boolean {
  const owner = ownerOf(keys.indexes.byPublicKey, statedMark(type, toBase64(publicKey)));
  return owner !== undefined && owner !== id;
}
