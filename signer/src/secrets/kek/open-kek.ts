/** Opens a party's KEK, wherever it comes from. */
import { statSync } from 'node:fs';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { KeyEncryptionKey } from '../sealing/share-seal.js';
import { KEK_BYTES, kekOf, openFileKek } from './file-kek.js';
import { openWrappedKek, wrappedKekId } from './wrapped-kek.js';

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

/** The id of the KEK that a file of this content is of, without opening it. */
export function kekIdIn(content: Uint8Array): string {
  if (content.length >= SHORTEST_DOCUMENT) return wrappedKekId(content);
  return kekOf('file', Uint8Array.from(content)).id;
}
