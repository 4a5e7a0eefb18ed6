/**
 * Proves by a key's id at which venue the key is good. The id is derived from the hash of the ledger entry that made
 * the key. That entry is the signed request that named the venue, and no later entry changes it. So whoever knows the
 * id, from the path that an approval covers, need believe nobody. Two entries with one id are a collision in 122 bits
 * of SHA-256.
 */
import { ByteReader, type Bytes } from './bytes.js';
import { deriveId, entryHash, EVIDENCE_ENTRY } from './entry-hash.js';
import { decodeSealedEvidence } from './evidence.js';

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
