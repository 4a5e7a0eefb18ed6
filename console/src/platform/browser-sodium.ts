/**
 * What `shared/core/src/ed25519.ts` asks of libsodium, for a browser: the same strictness over @noble/curves. No node of
 * the vault runs this; a page shows its verdicts and decides nothing by them.
 */
import { ed25519 } from '@noble/curves/ed25519.js';

const { Point } = ed25519;

export default {
  crypto_sign_verify_detached(
    signature: Uint8Array,
    message: Uint8Array,
    publicKey: Uint8Array,
  ): boolean {
    if (isSmallOrder(publicKey) || isSmallOrder(signature.subarray(0, 32))) return false;
    return ed25519.verify(signature, message, publicKey, { zip215: false });
  },

  crypto_core_ed25519_is_valid_point(bytes: Uint8Array): boolean {
    const point = pointOf(bytes);
    return point !== undefined && !point.isSmallOrder() && point.isTorsionFree();
  },
};

/** True also for what is no point. */
function isSmallOrder(bytes: Uint8Array): boolean {
  return pointOf(bytes)?.isSmallOrder() ?? true;
}

/** Undefined for what is not the canonical encoding of a point. */
function pointOf(bytes: Uint8Array) {
  try {
    return Point.fromBytes(bytes, false);
  } catch {
    return undefined;
  }
}
