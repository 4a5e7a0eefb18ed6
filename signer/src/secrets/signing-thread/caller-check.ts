import { isAsserted } from '@countersign/core/caller-key.js';
import type { CallerEvidence } from '../../threads/thread-tasks.js';

const DIGEST_BYTES = 32;

/** Whether the caller of an item asked for it. Items of one batch follow each other: what they share is checked once. */
export function createCallerCheck(): (evidence: CallerEvidence) => boolean {
  let last: { readonly evidence: CallerEvidence; readonly isAskedFor: boolean } | undefined;
  return (evidence) => {
    if (last === undefined || !isSame(last.evidence, evidence)) {
      const { digest, assertion, callerKey } = evidence;
      const isAskedFor = digest.length === DIGEST_BYTES && isAsserted(callerKey, digest, assertion);
      last = { evidence, isAskedFor };
    }
    return last.isAskedFor;
  };
}

function isSame(one: CallerEvidence, other: CallerEvidence): boolean {
  return (
    isSameKey(one.callerKey, other.callerKey) &&
    areEqual(one.digest, other.digest) &&
    areEqual(one.assertion, other.assertion)
  );
}

function isSameKey(one: CallerEvidence['callerKey'], other: CallerEvidence['callerKey']): boolean {
  if (one.kind === 'ed25519') {
    return other.kind === 'ed25519' && areEqual(one.publicKey, other.publicKey);
  }
  return (
    other.kind === 'passkeys' && JSON.stringify(one.verifier) === JSON.stringify(other.verifier)
  );
}

const areEqual = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0;
