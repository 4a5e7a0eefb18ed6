/** Memory that the threads of one process share for nonces made ahead. Only the threads read or write it. */

export const STATE_BYTES = 8;
/** Two scalars (32 bytes each) and their commitment (64 bytes). */
export const RECORD_BYTES = 128;
const MAX_SLOTS = 2 ** 20;

/**
 * Allocates the memory of a pool: per slot an 8-byte state word and 128 bytes of nonces and commitment.
 * Throws `RangeError` unless `slots` is an integer from 1 to 2^20.
 */
export function createNoncePoolMemory(slots: number): SharedArrayBuffer {
  if (!Number.isInteger(slots) || slots < 1 || slots > MAX_SLOTS) {
    throw new RangeError(`nonce pool slots: ${slots}, expected 1 to ${MAX_SLOTS}`);
  }
  return new SharedArrayBuffer(slots * (STATE_BYTES + RECORD_BYTES));
}
