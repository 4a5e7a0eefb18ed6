/** Random numbers that the two holders of a pair secret draw alike, without a message. */
import { createCipheriv, hkdfSync, type Cipheriv } from 'node:crypto';
import { toBigInt } from '@countersign/core/big-integers.js';

const KEY_BYTES = 32;
const COUNTER_BLOCK_BYTES = 16;
const CHUNK_BYTES = 16_384;
const ZEROS = Buffer.alloc(CHUNK_BYTES);
const SALT = Buffer.alloc(32);
/** Drawn beyond the bound and reduced: a bias of at most 2^−128. */
const SPARE_BYTES = 16;

/**
 * AES-256-CTR keyed by HKDF-SHA256 (RFC 5869) of the pair secret, with `label` as info: key (32 bytes) ‖
 * first counter block (16). Each label is one use, and both holders draw in the same order.
 */
export class PairStream {
  readonly #cipher: Cipheriv;
  #chunk: Buffer = Buffer.alloc(0);
  #offset = 0;

  constructor(secret: Uint8Array, label: string) {
    const derived = Buffer.from(
      hkdfSync('sha256', secret, SALT, label, KEY_BYTES + COUNTER_BLOCK_BYTES),
    );
    this.#cipher = createCipheriv(
      'aes-256-ctr',
      derived.subarray(0, KEY_BYTES),
      derived.subarray(KEY_BYTES),
    );
    derived.fill(0);
  }

  /** Views that stay valid. */
  bytes(length: number): Buffer {
    if (this.#offset + length > this.#chunk.length) this.#refill(length);
    const drawn = this.#chunk.subarray(this.#offset, this.#offset + length);
    this.#offset += length;
    return drawn;
  }

  /** Uniform in 0..bound−1, up to a bias of 2^−128. `boundBytes`: bytes that hold `bound`. */
  below(bound: bigint, boundBytes: number): bigint {
    return toBigInt(this.bytes(boundBytes + SPARE_BYTES)) % bound;
  }

  /** Uniform in 0..2^31−1. */
  uint31(): number {
    return this.bytes(4).readUInt32BE() >>> 1;
  }

  #refill(length: number): void {
    const rest = this.#chunk.subarray(this.#offset);
    const fresh = this.#cipher.update(length > CHUNK_BYTES ? Buffer.alloc(length) : ZEROS);
    this.#chunk = Buffer.concat([rest, fresh]);
    this.#offset = 0;
  }
}
