/**
 * The marks by which a key is known for good: destroyed and failed keys keep theirs. A mark belongs to the first key
 * that had it, and no other key may get it. Otherwise whoever holds the database could bring a key back as another
 * one, under another policy.
 */
import { parseBase64, toHex } from '@countersign/core/bytes.js';
import { sha256 } from '@countersign/core/hash.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { parseRsaPublicKey } from '@countersign/core/rsa-public-key.js';
import type { KeyType } from '@countersign/core/signature-schemes.js';
import { GENERATED, STATED, type PublicKeyMark } from './public-key-owners.js';

/** The fields of a key's row that marks are made of. Public keys and sealed parts are base64. */
interface Marked {
  readonly type: KeyType;
  readonly custody: string;
  readonly publicKey: string;
  readonly attestations: readonly { readonly party: PartyNumber; readonly publicKey: string }[];
  readonly sealedParts: readonly { readonly sealed: string }[];
}

/**
 * - The public key, from the moment when it is stated or attested by all; for an RSA key the modulus, since whoever
 *   can factor one exponent's can factor all;
 * - the public key that a single party attests, as that party's: one that lies spoils it for its own words alone.
 */
function publicKeyMarksOf({ type, publicKey, attestations }: Marked): PublicKeyMark[] {
  const marks: PublicKeyMark[] = attestations
    .filter((row) => row.publicKey !== '')
    .map((row) => ({ print: publicKeyPrint(type, row.publicKey), place: row.party }));
  return publicKey === '' ? marks : [statedMark(type, publicKey), ...marks];
}

/**
 * Each sealed part of an import. An HMAC secret has no public key. It is known by the ciphertexts that it came in, so
 * whoever finds them in the ledger cannot have them opened again for another key.
 */
function sealedPrintsOf({ sealedParts }: Marked): string[] {
  return sealedParts.map(({ sealed }) => toHex(sha256(sealed)));
}

/** A mark that no other key may have had. */
export type Claim = PublicKeyMark | { readonly print: string; readonly place: 'sealed' };

/** A key's marks, and what a party attests of it before all three have. */
export function claimsOf(key: Marked): Claim[] {
  const attested = new Set(key.attestations.map(({ publicKey }) => publicKey));
  const others = [...attested].filter((text) => text !== '' && text !== key.publicKey);
  return [
    ...publicKeyMarksOf(key),
    ...others.map((text) => statedMark(key.type, text)),
    ...sealedPrintsOf(key).map((print) => ({ print, place: 'sealed' }) as const),
  ];
}

/** The row without what it had before: new marks can come of the rest alone. Marks cost a hash each. */
export function addedTo(before: Marked | undefined, after: Marked): Marked {
  if (before === undefined) return after;
  return {
    type: after.type,
    custody: after.custody,
    publicKey: after.publicKey === before.publicKey ? '' : after.publicKey,
    attestations: after.attestations.filter((row) => !before.attestations.includes(row)),
    sealedParts: after.sealedParts.filter((part) => !before.sealedParts.includes(part)),
  };
}

/** The public keys of `after` that it did not have as `before`, and whether the parties made them together. */
export function newPublicKeyMarksOf(after: Marked, before: Marked | undefined): PublicKeyMark[] {
  const added = addedTo(before, after);
  const marks = publicKeyMarksOf(added);
  return added.custody === 'mpc' && added.publicKey !== ''
    ? [...marks, generatedMark(added.publicKey)]
    : marks;
}

/** The prints of the sealed parts of `after` that it did not have as `before`. */
export function newSealedPrintsOf(after: Marked, before: Marked | undefined): string[] {
  return sealedPrintsOf(addedTo(before, after));
}

/** `publicKey`: base64; Ed25519, 32 bytes, or RSA, SubjectPublicKeyInfo. */
export function statedMark(type: KeyType, publicKey: string): PublicKeyMark {
  return { print: publicKeyPrint(type, publicKey), place: STATED };
}

/**
 * The mark of a key that the parties made together is of its text, so another exponent of one modulus is another key.
 */
export function generatedMark(publicKey: string): PublicKeyMark {
  return { print: publicKey, place: GENERATED };
}

/** An Ed25519 key's print is the text itself, which its row has anyhow: base64 has one spelling, and no colon. */
function publicKeyPrint(type: KeyType, publicKey: string): string {
  const bytes = parseBase64(publicKey) ?? Buffer.alloc(0);
  if (type === 'ed25519') return bytes.length === 0 ? '' : publicKey;
  const told = (type === 'rsa' ? parseRsaPublicKey(bytes)?.modulus : undefined) ?? bytes;
  return `${type}: ${toHex(sha256(told))}`;
}
