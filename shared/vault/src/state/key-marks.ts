/**
 * What a key is known by for good, whatever becomes of it: destroyed and failed keys keep their marks. A mark
 * belongs to the first key that had it, and by version 2 of the rules no other key may come to it. Otherwise
 * whoever holds the database could bring a key back as another one, under another policy.
 */
import { parseBase64, toHex } from '@countersign/core/bytes.js';
import { sha256 } from '@countersign/core/hash.js';
import { rsaModulus } from '@countersign/core/rsa-public-key.js';
import type { KeyType } from '@countersign/core/signature-schemes.js';

/** Of a key's row. Public keys and sealed parts are base64. */
interface Marked {
  readonly type: KeyType;
  readonly publicKey: string;
  readonly attestations: readonly { readonly party: number; readonly publicKey: string }[];
  readonly sealedParts: readonly { readonly sealed: string }[];
}

/**
 * Texts, each once:
 *
 * - the public key, from the moment when it is stated or attested by all; of an RSA key the modulus, since
 *   whoever can factor one exponent's can factor all;
 * - the public key that a single party attests, as that party's: one that lies spoils it for its own words alone;
 * - each sealed part of an import. An HMAC secret has no public key. It is known by the ciphertexts that it came
 *   in: whoever finds them in the ledger cannot have them opened again for another key.
 */
export function marksOf({ type, publicKey, attestations, sealedParts }: Marked): string[] {
  const print = (text: string) => publicKeyPrint(type, text);
  return [
    ...(publicKey === '' ? [] : [print(publicKey)]),
    ...attestations
      .filter((row) => row.publicKey !== '')
      .map((row) => `party ${row.party}: ${print(row.publicKey)}`),
    ...sealedParts.map(({ sealed }) => `sealed part: ${toHex(sha256(sealed))}`),
  ];
}

/** What no other key may have had: its marks, and what a party attests of it before all three have. */
export function claimsOf(key: Marked): string[] {
  const attested = new Set(key.attestations.map(({ publicKey }) => publicKey));
  const others = [...attested].filter((text) => text !== '' && text !== key.publicKey);
  return [...marksOf(key), ...others.map((text) => publicKeyPrint(key.type, text))];
}

/** The row without what it had already: of that alone come marks which are new. Marks cost a hash each. */
export function addedTo(before: Marked | undefined, after: Marked): Marked {
  if (before === undefined) return after;
  return {
    type: after.type,
    publicKey: after.publicKey === before.publicKey ? '' : after.publicKey,
    attestations: after.attestations.filter((row) => !before.attestations.includes(row)),
    sealedParts: after.sealedParts.filter((part) => !before.sealedParts.includes(part)),
  };
}

/** The marks of `after` that it did not have as `before`. */
export function newMarksOf(after: Marked, before: Marked | undefined): string[] {
  if (before !== undefined && haveSameMarks(before, after)) return [];
  return marksOf(addedTo(before, after));
}

/** Whether two rows of one key have the same marks for sure: without a hash. */
export function haveSameMarks(a: Marked, b: Marked): boolean {
  return (
    a.publicKey === b.publicKey &&
    a.attestations === b.attestations &&
    a.sealedParts === b.sealedParts
  );
}

/** `publicKey`: base64; Ed25519, 32 bytes, or RSA, SubjectPublicKeyInfo. */
export function publicKeyPrint(type: KeyType, publicKey: string): string {
  const bytes = parseBase64(publicKey) ?? Buffer.alloc(0);
  const told = (type === 'rsa' ? rsaModulus(bytes) : undefined) ?? bytes;
  return `${type}: ${toHex(sha256(told))}`;
}
