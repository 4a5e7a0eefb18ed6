/** Opens a party's KEK, wherever it comes from. */
import { statSync } from 'node:fs';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { KeyEncryptionKey } from '../sealing/share-seal.js';
import { KEK_BYTES, kekOf, openFileKek } from './file-kek.js';
import { openWrappedKek, openWrappedKekIn } from './wrapped-kek.js';

/** Longer than any file that somebody takes for a raw key, and shorter than any document. */
const SHORTEST_DOCUMENT = 4 * KEK_BYTES;

/**
 * `path` holds the KEK itself, 32 raw bytes, or says which provider opens it (`wrapped-kek.ts`). The provider is asked
 * this once: the KEK is then in the memory of whoever opened it, and needs no provider any more.
 */
export async function openKek(path: string, party: PartyNumber): Promise<KeyEncryptionKey> {
  const { size } = statSync(path);
  return size < SHORTEST_DOCUMENT ? openFileKek(path) : openWrappedKek(path, party);
}

/** Opens the KEK of a file that lies in a backup: `content` is the file, `place` names it in errors. */
export async function openKekIn(
  content: Uint8Array,
  party: PartyNumber,
  place: string,
): Promise<KeyEncryptionKey> {
  if (content.length >= SHORTEST_DOCUMENT) return openWrappedKekIn(content, party, place);
  return kekOf('file', Uint8Array.from(content));
}
