/**
 * The envelope of key shares: each is sealed under a fresh data key, and that under the party's KEK, both by
 * AES-256-GCM.
 *
 * Both layers authenticate which share this is. Somebody who can write to the database can then destroy a share but not
 * pass one off for another: not another key's, another party's, another scheme's or an older version of the same key;
 * and nothing that was sealed for another purpose (`SEAL_DOMAINS`).
 */
import { randomBytes, type KeyObject } from 'node:crypto';
import { BOX_NONCE_BYTES, BOX_TAG_BYTES, openBox, sealBox } from '@countersign/core/aead-box.js';
import { sodium } from '@countersign/custody/sodium.js';
import { SEAL_DOMAINS, type SealPurpose } from '../../threads/seal-domains.js';
import type { SealedShare } from '../../threads/sealed-share.js';

/** What a sealed share is bound to. */
export interface ShareContext {
  readonly purpose: SealPurpose;
  /** Names what is sealed, among all of its purpose. */
  readonly keyId: string;
  /** The party's number. */
  readonly party: number;
  /** The form of the secret, for example `frost-ed25519`. */
  readonly scheme: string;
  readonly version: number;
}

/** A key that wraps data keys. Where it comes from: `secrets/kek`. */
export interface KeyEncryptionKey {
  /** Names the key in stored rows and logs. Not secret. */
  readonly id: string;
  /** Encrypts a 32-byte data key, authenticating `aad` with it. */
  wrap(dek: Uint8Array, aad: Uint8Array): Uint8Array;
  /** Returns the data key, which the caller wipes. Throws when `wrapped` or `aad` is not the same. */
  unwrap(wrapped: Uint8Array, aad: Uint8Array): Uint8Array;
}

/** A share that does not open: damaged, swapped, or sealed under another KEK. */
export class ShareSealError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ShareSealError';
  }
}

export const DEK_BYTES = 32;

/** Seals a secret. The caller still owns `secret` and wipes it. */
export async function sealShare(input: {
  readonly kek: KeyEncryptionKey;
  readonly aad: ShareContext;
  readonly secret: Uint8Array;
}): Promise<SealedShare> {
  const aad = encodeShareContext(input.aad);
  const dek = randomSecret(DEK_BYTES);
  try {
    const sealed = gcmSeal(dek, input.secret, aad);
    return { wrappedDek: input.kek.wrap(dek, aad), sealed };
  } finally {
    sodium.sodium_memzero(dek);
  }
}

/**
 * Opens a sealed secret into a buffer of its own, which the caller wipes after use.
 * Throws `ShareSealError` when KEK, context or bytes are not those it was sealed with.
 */
export async function openShare(
  input: {
    readonly kek: KeyEncryptionKey;
    readonly aad: ShareContext;
  } & SealedShare,
): Promise<Uint8Array> {
  const aad = encodeShareContext(input.aad);
  let dek: Uint8Array | undefined;
  try {
    dek = input.kek.unwrap(input.wrappedDek, aad);
    return gcmOpen(dek, input.sealed, aad);
  } catch (cause) {
    throw new ShareSealError(`the share of key ${input.aad.keyId} does not open`, { cause });
  } finally {
    if (dek !== undefined) sodium.sodium_memzero(dek);
  }
}

/**
 * Encodes the associated data of both layers: the purpose's domain, key id, party, scheme and version. Each has its
 * length (4 bytes, big-endian) before its UTF-8 text, so that no two contexts give the same bytes.
 */
export function encodeShareContext(context: ShareContext): Uint8Array {
  const fields = [
    SEAL_DOMAINS[context.purpose],
    context.keyId,
    String(context.party),
    context.scheme,
    String(context.version),
  ];
  const parts = fields.flatMap((field) => {
    const text = Buffer.from(field, 'utf8');
    const length = Buffer.alloc(4);
    length.writeUInt32BE(text.length);
    return [length, text];
  });
  return Buffer.concat(parts);
}

/**
 * AES-256-GCM under a random 96-bit nonce: nonce (12 bytes) ‖ ciphertext ‖ tag (16 bytes). One key may
 * seal 2^32 times this way (NIST SP 800-38D, section 8.3).
 */
export function gcmSeal(
  key: Uint8Array | KeyObject,
  plaintext: Uint8Array,
  aad: Uint8Array,
): Uint8Array {
  const nonce = randomBytes(BOX_NONCE_BYTES);
  return Uint8Array.from(Buffer.concat([nonce, sealBox(key, nonce, plaintext, aad)]));
}

/** Reverses `gcmSeal`, into a buffer of its own. Throws when anything was changed. */
export function gcmOpen(
  key: Uint8Array | KeyObject,
  sealed: Uint8Array,
  aad: Uint8Array,
): Uint8Array {
  if (sealed.length < BOX_NONCE_BYTES + BOX_TAG_BYTES) throw new Error('sealed value is too short');
  const nonce = sealed.subarray(0, BOX_NONCE_BYTES);
  return openBox(key, nonce, sealed.subarray(BOX_NONCE_BYTES), aad);
}

/** Fresh random bytes outside Node's shared buffer pool, whose memory outlives every wipe. */
export function randomSecret(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  sodium.randombytes_buf(bytes);
  return bytes;
}
