/**
 * Page cursors: opaque to the caller and signed, so that a changed or foreign one is recognised. A cursor belongs to
 * one list with one set of filters and one caller.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { parseBase64Url } from '@countersign/core/bytes.js';
import { refuse, type Refusal } from '@countersign/core/errors.js';

const TAG_BYTES = 16;

export interface Cursors {
  /** `list` names the list, its filters and the caller. */
  seal(list: string, position: string): string;
  open(list: string, cursor: string): string | Refusal;
}

/** `key`: 32 bytes, the same in every gateway of a deployment. */
export function createCursors(key: Buffer): Cursors {
  const tagOf = (list: string, position: Buffer) =>
    createHmac('sha256', key).update(list).update('\0').update(position).digest();
  return {
    seal(list, position) {
      const bytes = Buffer.from(position, 'utf8');
      const tag = tagOf(list, bytes).subarray(0, TAG_BYTES);
      return Buffer.concat([tag, bytes]).toString('base64url');
    },
    open(list, cursor) {
      const bytes = parseBase64Url(cursor);
      const position = bytes?.subarray(TAG_BYTES);
      if (bytes === undefined || position === undefined || bytes.length <= TAG_BYTES) {
        return refuse('parse_error', 'cursor: malformed');
      }
      const tag = tagOf(list, position).subarray(0, TAG_BYTES);
      return timingSafeEqual(tag, bytes.subarray(0, TAG_BYTES))
        ? position.toString('utf8')
        : refuse('parse_error', 'cursor: belongs to another list');
    },
  };
}
