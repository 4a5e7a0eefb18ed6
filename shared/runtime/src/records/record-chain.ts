import { ByteWriter, type Bytes } from '@countersign/core/bytes.js';
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
  /** Links for records that are about to be written; the chain moves on only by {@link commit}. */
  link(records: readonly (readonly RecordValue[])[]): ChainLink[];
  commit(links: readonly ChainLink[]): void;
}

export function createRecordChain(id: string): RecordChain {
  let seq = 0;
  let prevHash: Buffer = Buffer.alloc(32);
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
  };
}

export function recordHash(
  chainId: string,
  seq: number,
  prevHash: Bytes,
  fields: readonly RecordValue[],
): Buffer {
  const writer = new ByteWriter().u8(1).field(chainId).u64(seq).fixed(prevHash);
  for (const field of fields) {
    if (field === null) writer.u8(0);
    else if (typeof field === 'number') writer.u8(1).u64(field);
    else writer.u8(1).field(field);
  }
  return sha256(writer.bytes());
}
