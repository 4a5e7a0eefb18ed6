/**
 * Noise_KK_25519_AESGCM_SHA256: the KK pattern of the Noise framework (revision 34, https://noiseprotocol.org),
 *
 *     -> s
 *     <- s
 *     ...
 *     -> e, es, ss
 *     <- e, ee, se
 *
 * between two that know each other's static keys. The keys it gives rest on both ephemeral keys, which are wiped here:
 * whoever comes by the static keys afterwards opens nothing that was sent before.
 */
import { hkdfSync } from 'node:crypto';
import { BOX_NONCE_BYTES, BOX_TAG_BYTES, openBox, sealBox } from '@countersign/core/aead-box.js';
import type { Bytes } from '@countersign/core/bytes.js';
import { sha256 } from '@countersign/core/hash.js';
import { newX25519Key, X25519_BYTES, type X25519Key } from './x25519.js';

/** It is no longer than a hash: padded with zero bytes it is the first handshake hash (section 5.2). */
const PROTOCOL_NAME = 'Noise_KK_25519_AESGCM_SHA256';
const HASH_BYTES = 32;
const NOTHING = Buffer.alloc(0);
/** A handshake message without payload. */
export const HANDSHAKE_BYTES = X25519_BYTES + BOX_TAG_BYTES;

export interface HandshakeInput {
  /** Both ends must use the same. */
  readonly prologue: Bytes;
  /** Our own static key. */
  readonly own: X25519Key;
  /** The peer's static public key, 32 bytes. */
  readonly peer: Bytes;
  /** Fresh, unless a test gives it. Wiped. */
  readonly ephemeral?: X25519Key;
  /** Authenticated, but not forward secret in the first message: the party channel sends no secret in it. */
  readonly payload?: Bytes;
}

/** 32 bytes each, one for each direction. */
export interface TransportKeys {
  readonly toResponder: Buffer;
  readonly toInitiator: Buffer;
}

export interface FinishedHandshake {
  readonly keys: TransportKeys;
  /** The payload of the peer's message. */
  readonly payload: Buffer;
}

export interface InitiatedHandshake {
  readonly message: Buffer;
  /** Throws for anything but the peer's answer to this very message, and then changes nothing. */
  finish(answer: Bytes): FinishedHandshake;
  wipe(): void;
}

export function initiateHandshake(input: HandshakeInput): InitiatedHandshake {
  const { prologue, own, peer, ephemeral = newX25519Key(), payload = NOTHING } = input;
  const state = new SymmetricState(prologue, own.publicKey, peer);
  state.mixHash(ephemeral.publicKey);
  state.mixKey(ephemeral.exchange(peer));
  state.mixKey(own.exchange(peer));
  const message = Buffer.concat([ephemeral.publicKey, state.encrypt(payload)]);
  return {
    message,
    finish(answer) {
      const [theirs, sealed] = partsOf(answer);
      const attempt = state.copy();
      try {
        attempt.mixHash(theirs);
        attempt.mixKey(ephemeral.exchange(theirs));
        attempt.mixKey(own.exchange(theirs));
        const heard = attempt.decrypt(sealed);
        return { payload: heard, keys: attempt.split() };
      } finally {
        attempt.wipe();
      }
    },
    wipe() {
      state.wipe();
      ephemeral.wipe();
    },
  };
}

/** Answers a first message, with a fresh ephemeral key. Throws for one that is not the peer's. */
export function answerHandshake(
  input: HandshakeInput,
  message: Bytes,
): FinishedHandshake & { readonly answer: Buffer } {
  const { prologue, own, peer, ephemeral = newX25519Key(), payload = NOTHING } = input;
  const state = new SymmetricState(prologue, peer, own.publicKey);
  try {
    const [theirs, sealed] = partsOf(message);
    state.mixHash(theirs);
    state.mixKey(own.exchange(theirs));
    state.mixKey(own.exchange(peer));
    const heard = state.decrypt(sealed);
    state.mixHash(ephemeral.publicKey);
    state.mixKey(ephemeral.exchange(theirs));
    state.mixKey(ephemeral.exchange(peer));
    const answer = Buffer.concat([ephemeral.publicKey, state.encrypt(payload)]);
    return { payload: heard, answer, keys: state.split() };
  } finally {
    state.wipe();
    ephemeral.wipe();
  }
}

function partsOf(message: Bytes): [Bytes, Bytes] {
  if (message.length < HANDSHAKE_BYTES) throw new RangeError('the handshake message is incomplete');
  return [message.subarray(0, X25519_BYTES), message.subarray(X25519_BYTES)];
}

/** Section 12.2: four zero bytes ‖ counter, u64 big-endian. */
export function transportNonce(counter: number): Buffer {
  const nonce = Buffer.alloc(BOX_NONCE_BYTES);
  nonce.writeBigUInt64BE(BigInt(counter), 4);
  return nonce;
}

/** Section 5.2. In this pattern each key encrypts one message of the handshake, under nonce 0. */
class SymmetricState {
  #chainingKey: Buffer;
  #hash: Buffer;
  #key: Buffer;

  constructor(prologue: Bytes, initiator: Bytes, responder: Bytes) {
    this.#hash = Buffer.alloc(HASH_BYTES);
    this.#hash.write(PROTOCOL_NAME);
    this.#chainingKey = Buffer.from(this.#hash);
    this.#key = NOTHING;
    for (const known of [prologue, initiator, responder]) this.mixHash(known);
  }

  mixHash(data: Bytes): void {
    this.#hash = sha256(this.#hash, data);
  }

  /** `secret` is wiped. */
  mixKey(secret: Buffer): void {
    const [chainingKey, key] = hkdf(this.#chainingKey, secret);
    secret.fill(0);
    this.wipe();
    this.#chainingKey = chainingKey;
    this.#key = key;
  }

  encrypt(plaintext: Bytes): Buffer {
    const sealed = sealBox(this.#key, transportNonce(0), plaintext, this.#hash);
    this.mixHash(sealed);
    return sealed;
  }

  decrypt(sealed: Bytes): Buffer {
    const plaintext = openBox(this.#key, transportNonce(0), sealed, this.#hash);
    this.mixHash(sealed);
    return plaintext;
  }

  split(): TransportKeys {
    const [toResponder, toInitiator] = hkdf(this.#chainingKey, NOTHING);
    return { toResponder, toInitiator };
  }

  copy(): SymmetricState {
    const copy = new SymmetricState(NOTHING, NOTHING, NOTHING);
    copy.#chainingKey = Buffer.from(this.#chainingKey);
    copy.#hash = this.#hash;
    copy.#key = Buffer.from(this.#key);
    return copy;
  }

  wipe(): void {
    this.#chainingKey.fill(0);
    this.#key.fill(0);
  }
}

/** Section 4.3, two outputs: HKDF of RFC 5869 with the chaining key as salt and no info. */
function hkdf(chainingKey: Bytes, material: Bytes): [Buffer, Buffer] {
  const output = Buffer.from(hkdfSync('sha256', material, chainingKey, NOTHING, 2 * HASH_BYTES));
  const halves: [Buffer, Buffer] = [
    Buffer.from(output.subarray(0, HASH_BYTES)),
    Buffer.from(output.subarray(HASH_BYTES)),
  ];
  output.fill(0);
  return halves;
}
