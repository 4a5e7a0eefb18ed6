import { toHex } from '@countersign/core/bytes.js';
import { isAsserted, type CallerKey } from '@countersign/core/caller-key.js';
import { digestOf, requestIdOf, type Evidence } from '@countersign/core/evidence.js';

/** A caller's signed request. What is costly to find out is found out once, however often it is judged. */
export interface OpenedRequest {
  readonly evidence: Evidence;
  readonly digest: Buffer;
  readonly requestId: string;
  /** Whether this key made the assertion. */
  isSignedBy(key: CallerKey): boolean;
}

export function openRequest(evidence: Evidence): OpenedRequest {
  const digest = digestOf(evidence);
  const verified = new Map<string, boolean>();
  return {
    evidence,
    digest,
    requestId: requestIdOf(digest),
    isSignedBy(key) {
      const name = key.kind === 'ed25519' ? toHex(key.publicKey) : JSON.stringify(key.verifier);
      const known = verified.get(name);
      if (known !== undefined) return known;
      const isSigned = isAsserted(key, digest, evidence.assertion);
      verified.set(name, isSigned);
      return isSigned;
    },
  };
}
