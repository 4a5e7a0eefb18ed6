import { toHex, type Bytes } from '@countersign/core/bytes.js';
import { verifyEd25519 } from '@countersign/core/ed25519.js';
import { digestOf, requestIdOf, type Evidence } from '@countersign/core/evidence.js';

/** A caller's signed request, with what is found out about it once, however often it is judged. */
export interface OpenedRequest {
  readonly evidence: Evidence;
  readonly digest: Buffer;
  readonly requestId: string;
  /** Whether the assertion is that of this key: Ed25519, 32 bytes. */
  isSignedBy(publicKey: Bytes): boolean;
}

export function openRequest(evidence: Evidence): OpenedRequest {
  const digest = digestOf(evidence);
  const verified = new Map<string, boolean>();
  return {
    evidence,
    digest,
    requestId: requestIdOf(digest),
    isSignedBy(publicKey) {
      const name = toHex(publicKey);
      const known = verified.get(name);
      if (known !== undefined) return known;
      const isSigned = verifyEd25519(publicKey, digest, evidence.assertion);
      verified.set(name, isSigned);
      return isSigned;
    },
  };
}
