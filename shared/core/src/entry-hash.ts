/** The hash of a ledger entry, and the ids that come of it. */
import { ByteWriter, type Bytes } from './bytes.js';
import { sha256, uuidFromHash } from './hash.js';

/** The first byte of a ledger entry that is somebody's signed request. */
export const EVIDENCE_ENTRY = 2;

/** SHA-256(0x01 ‖ seq u64 ‖ previous hash ‖ length u32 ‖ body). `prevHash`: 32 bytes. */
export function entryHash(seq: number, prevHash: Bytes, body: Bytes): Buffer {
  return sha256(new ByteWriter().u8(1).u64(seq).fixed(prevHash).field(body).bytes());
}

/** A UUID from the entry's hash and a name that is unique within the entry. */
export function deriveId(hash: Uint8Array, name: string): string {
  return uuidFromHash(sha256('countersign id v1', hash, name));
}
