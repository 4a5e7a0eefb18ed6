/** Which keys sign by themselves. Gateways and parties ask this when something is to be signed. */
import { deny } from '@countersign/core/denials.js';
import type { Refusal } from '@countersign/core/errors.js';
import type { SigningTarget } from './signing-targets.js';

/**
 * 403 unless the key stands by itself and is active. A wallet's key signs through its wallet, or the wallet's policies
 * would not hold.
 */
export function refuseKeyTarget({ key }: SigningTarget): Refusal | undefined {
  if (key.walletId !== null) {
    return deny('key_of_wallet');
  }
  return key.status === 'active' ? undefined : deny('key_status', key.status);
}
