/** Lists of integers as messages: each in the same number of bytes, big-endian, one after the other. */
import type { PartyNumber } from '@countersign/core/parties.js';
import { toBigInt, toBytes } from '@countersign/core/big-integers.js';
import { malformed } from './generation-channel.js';

export function encodeIntegers(values: readonly bigint[], bytesEach: number): Buffer {
  return Buffer.concat(values.map((value) => toBytes(value, bytesEach)));
}

/**
 * Reverses `encodeIntegers` for a message of `from` whose length was checked. Throws
 * `RsaGenerationError` `malformed` for a value of `limit` or more.
 */
export function decodeIntegers(
  bytes: Uint8Array,
  {
    bytesEach,
    limit,
    from,
    tag,
  }: {
    readonly bytesEach: number;
    readonly limit: bigint;
    readonly from: PartyNumber;
    readonly tag: string;
  },
): bigint[] {
  const values: bigint[] = [];
  for (let start = 0; start < bytes.length; start += bytesEach) {
    const value = toBigInt(bytes.subarray(start, start + bytesEach));
    if (value >= limit) throw malformed(from, tag);
    values.push(value);
  }
  return values;
}
