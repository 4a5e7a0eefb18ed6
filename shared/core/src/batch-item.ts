/**
 * One signed request may ask for several signatures: its items. Each is a request of its own from then on, with an id
 * that follows from the id of the signed request and its place there.
 */
import { ByteWriter } from './bytes.js';
import { sha256, uuidFromHash } from './hash.js';

/** A batch of signing jobs has room for the items of one request. */
export const MAX_BATCH_ITEMS = 64;

/** `index`: from 0. The domain keeps it apart from the id of every signed request. */
export function itemIdOf(requestId: string, index: number): string {
  const written = new ByteWriter().field('countersign batch item v1').field(requestId).u32(index);
  return uuidFromHash(sha256(written.bytes()));
}

/** The ids that the items of a request can have. */
export function itemIdsOf(requestId: string): string[] {
  return Array.from({ length: MAX_BATCH_ITEMS }, (_, index) => itemIdOf(requestId, index));
}
