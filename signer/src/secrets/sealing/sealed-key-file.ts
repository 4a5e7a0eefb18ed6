/**
 * A party's lasting private keys at rest: each is in a file of its own, sealed under the party's KEK. Whoever has the
 * folder without the KEK, where that comes from elsewhere (`KEK_FILE`), has nothing.
 *
 * File: version u8 ‖ what the KEK makes of the 32 bytes (a file KEK: nonce 12 ‖ ciphertext 32 ‖ tag 16). Version, party
 * and purpose are authenticated: no file passes for another, and no wrapped data key of a share for a file.
 */
import { ByteWriter, type Bytes } from '@countersign/core/bytes.js';
import { BOX_NONCE_BYTES, BOX_TAG_BYTES } from '@countersign/core/aead-box.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { readSecretFile } from '@countersign/custody/secret-file.js';
import { createDurably } from '@countersign/runtime/process/create-durably.js';
import type { KeyEncryptionKey } from './share-seal.js';

const DOMAIN = 'countersign party key v1';
const VERSION = 1;
export const PARTY_KEY_BYTES = 32;
const FILE_BYTES = 1 + BOX_NONCE_BYTES + PARTY_KEY_BYTES + BOX_TAG_BYTES;

/** Which key of which party a file holds. */
export interface SealedKeyContext {
  readonly kek: KeyEncryptionKey;
  readonly party: PartyNumber;
  readonly purpose: 'identity' | 'exchange';
}

/** A file that holds no such key: damaged, of another party or purpose, or sealed under another KEK. */
export class SealedKeyError extends Error {}

/** Makes the file (mode 0600) for good; throws when it exists. The caller still owns `secret`, 32 bytes, and wipes it. */
export function writeSealedKey(path: string, context: SealedKeyContext, secret: Bytes): void {
  createDurably(path, sealKey(context, secret));
}

/** Returns what the file holds. */
export function sealKey(context: SealedKeyContext, secret: Bytes): Buffer {
  const sealed = context.kek.wrap(secret, authenticated(context));
  return Buffer.concat([Buffer.from([VERSION]), sealed]);
}

/** Returns 32 bytes, which the caller wipes. Throws SealedKeyError, and what `readSecretFile` throws. */
export function readSealedKey(path: string, context: SealedKeyContext): Uint8Array {
  const file = readSecretFile(path, FILE_BYTES);
  if (file[0] !== VERSION) throw new SealedKeyError(`${path}: unknown version`);
  try {
    return context.kek.unwrap(file.subarray(1), authenticated(context));
  } catch (cause) {
    const { party, purpose } = context;
    const what = `the ${purpose} key of party ${party} under this KEK`;
    throw new SealedKeyError(`${path}: not ${what}`, { cause });
  }
}

function authenticated({ party, purpose }: SealedKeyContext): Buffer {
  return new ByteWriter().field(DOMAIN).u8(VERSION).u8(party).field(purpose).bytes();
}
