import type { Bytes } from '@countersign/core/bytes.js';
import { sha256 } from '@countersign/core/hash.js';

export type RecordValue = string | number | Bytes | null;

export interface ChainLink {
  readonly seq: number;
  readonly prevHash: Buffer;
  readonly hash: Buffer;
}

/**
 * The hash chain of one writing process. hash = SHA-256(0x01 ‖ chain id ‖ seq ‖ previous hash ‖
 * fields), each field as a presence byte and, unless null, its length-prefixed bytes; numbers are u64.
 */
export interface RecordChain {
  readonly id: string;
  /** Links records that are about to be written; the chain moves on only by {@link commit}. */
  link(records: readonly (readonly RecordValue[])[]): ChainLink[];
  commit(links: readonly ChainLink[]): void;
  /** The last link that was committed; sequence number 0 before the first. */
  readonly head: ChainPlace;
}

/** Where a chain stands: the number of its last record, and the record's hash. */
export type ChainPlace = Pick<ChainLink, 'seq' | 'hash'>;

/** The place of a chain before its first record. */
export const EMPTY_CHAIN: ChainPlace = { seq: 0, hash: Buffer.alloc(32) };

export function createRecordChain(id: string): RecordChain {
  let { seq, hash: prevHash } = EMPTY_CHAIN;
  return {
    id,
    link(records) {
      let previous = prevHash;
      return records.map((fields, index) => {
        const link = {
          seq: seq + index + 1,
          prevHash: previous,
          hash: recordHash(id, seq + index + 1, previous, fields),
        };
        previous = link.hash;
        return link;
      });
    },
    commit(links) {
      const last = links.at(-1);
      if (last === undefined) return;
      seq = last.seq;
      prevHash = last.hash;
    },
    get head() {
      return { seq, hash: prevHash };
    },
  };
}

export function recordHash(
  chainId: string,
  seq: number,
  prevHash: Bytes,
  fields: readonly RecordValue[],
): Buffer {
  // one allocation instead of one per field: every signature is recorded twice, and verified by the million
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + sizeOf(chainId) + sizesOf(fields));
  let end = bytes.writeUInt8(1);
  end = writeField(bytes, end, chainId);
  end = bytes.writeBigUInt64LE(BigInt(seq), end);
  bytes.set(prevHash, end);
  end += prevHash.length;
  for (const field of fields) {
    end = bytes.writeUInt8(field === null ? 0 : 1, end);
    if (typeof field === 'number') end = bytes.writeBigUInt64LE(BigInt(field), end);
    else if (field !== null) end = writeField(bytes, end, field);
  }
  return sha256(bytes.subarray(0, end));
}

/** Version, sequence number, previous hash. */
const HEAD_BYTES = 1 + 8 + 32;

function sizesOf(fields: readonly RecordValue[]): number {
  return fields.reduce<number>((size, field) => {
    if (field === null) return size + 1;
    return size + 1 + (typeof field === 'number' ? 8 : sizeOf(field));
  }, 0);
}

/** Size with the length prefix. */
function sizeOf(field: string | Bytes): number {
  return 4 + (typeof field === 'string' ? Buffer.byteLength(field) : field.length);
}

function writeField(bytes: Buffer, at: number, field: string | Bytes): number {
  const start = at + 4;
  let length = field.length;
  if (typeof field === 'string') length = bytes.write(field, start);
  else bytes.set(field, start);
  bytes.writeUInt32LE(length, at);
  return start + length;
}
