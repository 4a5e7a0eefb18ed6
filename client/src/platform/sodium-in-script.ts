/**
 * What the client asks of libsodium, over @noble/curves, with the same strictness: for a page, and for the client as desks
 * install it, where no native module is. No node of the vault runs this; whoever does believes its verdicts alone.
 * Its numbers cannot be wiped.
 */
import { ed25519 } from '@noble/curves/ed25519.js';

const { Point } = ed25519;
const { Fn } = Point;

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

  /** `wide`: 64 bytes, little-endian, like `out`. */
  crypto_core_ed25519_scalar_reduce(out: Uint8Array, wide: Uint8Array): void {
    const hex = Buffer.from(wide).reverse().toString('hex');
    out.set(Fn.toBytes(Fn.create(BigInt(`0x${hex}`))));
  },

  /** Throws on zero. `scalar` is below the group's order. */
  crypto_scalarmult_ed25519_base_noclamp(out: Uint8Array, scalar: Uint8Array): void {
    out.set(Point.BASE.multiply(Fn.fromBytes(scalar)).toBytes());
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
