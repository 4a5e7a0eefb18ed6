/**
 * Proves by a key's id at which venue the key is good. The id is derived from the hash of the ledger entry that made
 * the key. That entry is the signed request that named the venue, and no later entry changes it. So whoever knows the
 * id, from the path that an approval covers, need believe nobody. Two entries with one id are a collision in 122 bits
 * of SHA-256.
 */
import { ByteReader, ByteWriter, type Bytes } from './bytes.js';
import { decodeSealedEvidence } from './evidence.js';
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

/** An entry of the ledger, as records show it. */
export interface ShownEntry {
  readonly seq: number;
  /** Hash of the entry before it: 64 hexadecimal digits. */
  readonly prev_hash: string;
  /** Base64. */
  readonly body: string;
}

/**
 * Null for a key without a venue. Undefined if this entry did not make the key: whoever showed it lies, or has lost
 * it.
 */
export function venueOfKey(keyId: string, entry: ShownEntry): string | null | undefined {
  try {
    const made = keysMadeBy(entry).find(({ id }) => id === keyId);
    return made === undefined ? undefined : (made.venueId ?? null);
  } catch {
    // it is no entry at all
    return undefined;
  }
}

interface MadeKey {
  readonly id: string;
  readonly venueId: string | undefined;
}

interface KeyBody {
  readonly venue_id?: string;
}

function keysMadeBy({ seq, prev_hash: prevHash, body }: ShownEntry): MadeKey[] {
  const bytes = Buffer.from(body, 'base64');
  const hash = entryHash(seq, hashBytes(prevHash), bytes);
  const asked = readRequest(bytes);
  if (asked.method !== 'POST') return [];
  switch (asked.path) {
    case '/v1/keys':
    case '/v1/keys/import':
      return [{ id: deriveId(hash, 'key'), venueId: (asked.json as KeyBody).venue_id }];
    case '/v1/keys/bulk':
      return (asked.json as { readonly keys: readonly KeyBody[] }).keys.map((key, index) => ({
        id: deriveId(hash, `key ${index}`),
        venueId: key.venue_id,
      }));
    default:
      return [];
  }
}

function hashBytes(hex: string): Buffer {
  const bytes = Buffer.from(hex, 'hex');
  if (bytes.length !== 32) throw new RangeError('not a hash');
  return bytes;
}

function readRequest(bytes: Bytes) {
  const reader = new ByteReader(bytes);
  if (reader.u8() !== EVIDENCE_ENTRY) throw new RangeError('not the entry of a request');
  reader.u64();
  const { method, path, body } = decodeSealedEvidence(reader.field());
  reader.end();
  return { method, path, json: JSON.parse(Buffer.from(body).toString('utf8')) as unknown };
}
