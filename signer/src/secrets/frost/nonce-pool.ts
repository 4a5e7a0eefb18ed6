/**
 * Secret nonces made ahead of time, in memory shared by the threads of one process.
 *
 * A nonce pair must never sign twice, so taking is destructive and atomic. Of all threads that ask for a (slot, serial)
 * exactly one gets the nonces, and they are wiped from the pool before it returns. A serial is never handed out or
 * filled again. Nothing is kept on disk, in Redis or in a message: a crash loses the pool, which costs only new nonces.
 */
import { ByteWriter } from '@countersign/core/bytes.js';
import { sodium } from '@countersign/custody/sodium.js';
import { commit, wipeNonces, type SigningNonces } from './frost-ed25519.js';
import { FrostError } from './frost-error.js';
import { SCALAR_BYTES } from './frost-scalars.js';
import { RECORD_BYTES, STATE_BYTES } from '../../threads/nonce-memory.js';

// A slot's state word is serial · 4 + phase. `EMPTY` keeps the last serial, so that serials only grow. A thread that
// dies while it fills or takes leaves its slot in that phase for good. The slot is lost until the next start, which is
// cheaper than any rule that could hand a nonce out twice.
const EMPTY = 0n;
const FILLING = 1n;
const READY = 2n;
const TAKING = 3n;

const USE_DOMAIN = 'countersign pool nonce v1';

/** One thread's view of the pool. Every thread makes its own over the same memory. */
export class NoncePool {
  readonly slots: number;
  readonly #states: BigInt64Array;
  readonly #records: Uint8Array;
  readonly #hedgeSecret: Uint8Array;

  /**
   * `hedgeSecret` (32 bytes or more) is hashed into each nonce beside fresh randomness; see `commit`.
   * It is kept by reference: the owner wipes it when the pool is no longer used.
   */
  constructor(memory: SharedArrayBuffer, hedgeSecret: Uint8Array) {
    const slots = memory.byteLength / (STATE_BYTES + RECORD_BYTES);
    if (!Number.isInteger(slots) || slots < 1) {
      throw new RangeError(
        `nonce pool memory: ${memory.byteLength} bytes is not a number of slots`,
      );
    }
    this.slots = slots;
    this.#states = new BigInt64Array(memory, 0, slots);
    this.#records = new Uint8Array(memory, slots * STATE_BYTES);
    this.#hedgeSecret = hedgeSecret;
  }

  /**
   * Writes fresh nonces under a serial and returns their commitment D ‖ E, 64 bytes.
   *
   * The serial must be above every serial the slot has had. An older pair that was never taken is
   * overwritten: its serial is refused from then on. Throws `FrostError` `invalid_input` for a serial
   * that is not new or while another thread works on the slot, `RangeError` for an unknown slot.
   */
  fill(slot: number, serial: number): Uint8Array {
    const wanted = this.#stateOf(slot, serial);
    const before = Atomics.load(this.#states, slot);
    const phase = before & 3n;
    const isNew = wanted > (before | 3n);
    if (
      !isNew ||
      (phase !== EMPTY && phase !== READY) ||
      Atomics.compareExchange(this.#states, slot, before, wanted | FILLING) !== before
    ) {
      throw new FrostError(
        'invalid_input',
        `nonce slot ${slot}: serial ${serial} cannot be filled`,
      );
    }
    // the use is not known yet, but a slot's serial never comes again while the process lives
    const nonces = commit(this.#hedgeSecret, useOf(slot, serial));
    const record = this.#record(slot);
    record.set(nonces.hiding, 0);
    record.set(nonces.binding, SCALAR_BYTES);
    record.set(nonces.commitment, 2 * SCALAR_BYTES);
    wipeNonces(nonces);
    Atomics.store(this.#states, slot, wanted | READY);
    return nonces.commitment;
  }

  /**
   * Takes the nonces of a serial out of the pool, once. Returns undefined when they were taken before,
   * overwritten or never made; they are never computed again. The caller wipes what it got.
   * Throws `RangeError` for an unknown slot or a serial that is not a positive safe integer.
   */
  take(slot: number, serial: number): SigningNonces | undefined {
    const wanted = this.#stateOf(slot, serial);
    const ready = wanted | READY;
    if (Atomics.compareExchange(this.#states, slot, ready, wanted | TAKING) !== ready) {
      return undefined;
    }
    const record = this.#record(slot);
    const nonces = {
      hiding: record.slice(0, SCALAR_BYTES),
      binding: record.slice(SCALAR_BYTES, 2 * SCALAR_BYTES),
      commitment: record.slice(2 * SCALAR_BYTES),
    };
    sodium.sodium_memzero(record);
    Atomics.store(this.#states, slot, wanted | EMPTY);
    return nonces;
  }

  /** Refuses to be serialised: a stored pool is a pool that can be used twice. */
  toJSON(): never {
    throw new TypeError('a nonce pool is never serialised');
  }

  #stateOf(slot: number, serial: number): bigint {
    if (!Number.isInteger(slot) || slot < 0 || slot >= this.slots) {
      throw new RangeError(`nonce slot ${slot} is not one of ${this.slots}`);
    }
    if (!Number.isSafeInteger(serial) || serial < 1) {
      throw new RangeError(`nonce serial ${serial} is not a positive integer`);
    }
    return BigInt(serial) << 2n;
  }

  #record(slot: number): Uint8Array {
    return this.#records.subarray(slot * RECORD_BYTES, (slot + 1) * RECORD_BYTES);
  }
}

function useOf(slot: number, serial: number): Uint8Array {
  return new ByteWriter().field(USE_DOMAIN).u32(slot).u64(serial).bytes();
}
