/**
 * Words of parties verified ahead of the fold, in another thread. What comes from there are fingerprints of exactly
 * what was verified, by the one verifier that there is: the fold takes a signature for good where its own key, message
 * and signature have such a fingerprint, and verifies all others itself. So threads make it faster and decide nothing.
 */
import type { Bytes } from '@countersign/core/bytes.js';
import { verifyEd25519 } from '@countersign/core/ed25519.js';
import { sha256 } from '@countersign/core/hash.js';
import type { PartyIdentity } from '@countersign/core/parties.js';
import { decodeEntryBody, type EntryContent } from './entry.js';
import { isWord, refuseForged } from './party-word.js';

export type VerifySignature = typeof verifyEd25519;

/** Whose words they are, and of which vault. */
export interface WordSigners {
  readonly parties: readonly PartyIdentity[];
  /** Hex. */
  readonly genesisHash: string;
}

const [KEY_BYTES, SIGNATURE_BYTES, FINGERPRINT_BYTES] = [32, 64, 32];

/** Those of the signatures that are good, one after the other. Bodies of other entries, and unreadable ones, are left out. */
export function verifyWords(
  bodies: readonly Bytes[],
  { parties, genesisHash }: WordSigners,
): Uint8Array {
  const good: Buffer[] = [];
  const verify: VerifySignature = (publicKey, message, signature) => {
    const isGood = verifyEd25519(publicKey, message, signature);
    if (isGood) good.push(fingerprintOf(publicKey, message, signature));
    return isGood;
  };
  for (const body of bodies) {
    const content = readContent(body);
    if (content !== undefined && isWord(content)) {
      refuseForged(content, parties, genesisHash, verify);
    }
  }
  return Buffer.concat(good);
}

export interface VerifiedWords {
  /** Takes fingerprints, as {@link verifyWords} gives them. */
  note(fingerprints: Uint8Array): void;
  /** True at once for what was noted; verifies everything else. */
  readonly verify: VerifySignature;
}

/** `verifyOther`: what verifies what was not noted. */
export function createVerifiedWords(verifyOther: VerifySignature = verifyEd25519): VerifiedWords {
  const known = new Set<string>();
  return {
    note(fingerprints) {
      const bytes = Buffer.from(fingerprints);
      for (let at = 0; at + FINGERPRINT_BYTES <= bytes.length; at += FINGERPRINT_BYTES) {
        known.add(nameOf(bytes.subarray(at, at + FINGERPRINT_BYTES)));
      }
    },
    verify: (publicKey, message, signature) =>
      (known.size > 0 &&
        areWhole(publicKey, signature) &&
        known.has(nameOf(fingerprintOf(publicKey, message, signature)))) ||
      verifyOther(publicKey, message, signature),
  };
}

function nameOf(fingerprint: Buffer): string {
  return fingerprint.toString('latin1');
}

/** Of another length they could be read as another key with another message. */
function areWhole(publicKey: Bytes, signature: Bytes): boolean {
  return publicKey.length === KEY_BYTES && signature.length === SIGNATURE_BYTES;
}

function fingerprintOf(publicKey: Bytes, message: Bytes, signature: Bytes): Buffer {
  return sha256(Buffer.concat([publicKey, signature, message]));
}

function readContent(body: Bytes): EntryContent | undefined {
  try {
    return decodeEntryBody(body).content;
  } catch {
    return undefined;
  }
}
