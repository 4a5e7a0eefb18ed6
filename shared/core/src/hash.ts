import { createHash, hash as hashWhole } from 'node:crypto';
import type { Bytes } from './bytes.js';

export function sha256(...parts: (Bytes | string)[]): Buffer {
  // hashing in one call costs half, and audits hash by the million; parts are not joined, as some are secrets
  if (parts.length === 1) return hashWhole('sha256', parts[0]!, 'buffer');
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/**
 * A UUID (RFC 9562 version 8, custom) made from the first 16 bytes of a hash, so that every node
 * derives the same id from the same input.
 */
export function uuidFromHash(hash: Bytes): string {
  const bytes = Buffer.from(hash.subarray(0, 16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}

export const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
