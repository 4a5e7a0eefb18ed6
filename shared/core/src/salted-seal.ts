/**
 * Seals under keys of their own: each process draws a salt, derives a key from it and counts its seals as the nonces.
 * So no nonce comes twice under one key, however many seals are made. Nothing has to be remembered across a restart: a
 * salt of 192 random bits would have to come twice. One derived key makes 2^24 seals, then another salt is drawn. That
 * is far within the bounds of AES-256-GCM (NIST SP 800-38D, section 8.3, allows 2^32 with random nonces).
 *
 * salt (24 bytes) ‖ number u32 ‖ ciphertext ‖ tag (16)
 */
import { BoundedMap } from './bounded-map.js';
import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { BOX_NONCE_BYTES, BOX_TAG_BYTES, openBox, sealBox } from './aead-box.js';
import { ByteWriter, toHex, type Bytes } from './bytes.js';

const SALT_BYTES = 24;
const NUMBER_BYTES = 4;
const HEAD_BYTES = SALT_BYTES + NUMBER_BYTES;
export const SEALS_PER_SALT = 2 ** 24;
/** How many derived keys that opened something are kept: one per process that seals, and some that are gone. */
const MAX_OPENED = 256;

export interface SaltedSeals {
  seal(plaintext: Bytes, associatedData: Bytes): Buffer;
  /** Throws if it is not sealed so under this key. */
  open(sealed: Bytes, associatedData: Bytes): Buffer;
}

interface Current {
  readonly salt: Buffer;
  readonly key: KeyObject;
  /** The next seal's. */
  number: number;
}

/** `root`: 32 bytes, used only as a key of HMAC-SHA256 over texts that begin with a domain. */
export function createSaltedSeals(root: Bytes, sealsPerSalt = SEALS_PER_SALT): SaltedSeals {
  let current: Current | undefined;
  const opened = new BoundedMap<string, KeyObject>(MAX_OPENED);

  function next(): Current {
    if (current === undefined || current.number >= sealsPerSalt) {
      const salt = randomBytes(SALT_BYTES);
      current = { salt, key: deriveKey(root, salt), number: 0 };
    }
    return current;
  }

  return {
    seal(plaintext, associatedData) {
      const made = next();
      const head = Buffer.allocUnsafe(HEAD_BYTES);
      made.salt.copy(head);
      head.writeUInt32LE(made.number, SALT_BYTES);
      const nonce = nonceOf(made.number);
      // counted before use, since a seal that throws has used its number
      made.number += 1;
      return Buffer.concat([head, sealBox(made.key, nonce, plaintext, associatedData)]);
    },
    open(sealed, associatedData) {
      if (sealed.length < HEAD_BYTES + BOX_TAG_BYTES) throw new RangeError('seal too short');
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length);
      const salt = bytes.subarray(0, SALT_BYTES);
      const nonce = nonceOf(bytes.readUInt32LE(SALT_BYTES));
      const name = toHex(salt);
      const known = opened.get(name);
      const key = known ?? deriveKey(root, salt);
      const plaintext = openBox(key, nonce, bytes.subarray(HEAD_BYTES), associatedData);
      // kept only now: a seal that does not open must not displace a key that opened one
      if (known === undefined) opened.put(name, key);
      return plaintext;
    },
  };
}

function deriveKey(root: Bytes, salt: Bytes): KeyObject {
  const input = new ByteWriter().field('countersign salted seal v1').fixed(salt).bytes();
  const raw = createHmac('sha256', root).update(input).digest();
  const key = createSecretKey(raw);
  raw.fill(0);
  return key;
}

function nonceOf(number: number): Buffer {
  const nonce = Buffer.alloc(BOX_NONCE_BYTES);
  nonce.writeUInt32LE(number);
  return nonce;
}
