/**
 * The raw request target. Path and query are taken as they stood on the wire, because they are what
 * the caller signed; a target that two parsers could read differently is refused before routing.
 */
import { refuse, type Refusal } from '@countersign/core/errors.js';

export interface RawTarget {
  readonly path: string;
  readonly query: string;
}

/** Nothing in such a path can be read in two ways: no segment begins with a dot, and nothing is escaped. */
const PLAIN_PATH = /^(?:\/[\w~-][\w.~-]*)+$/;
const BAD_PATH = refuse('parse_error', 'malformed request path');

/** Path and query as they stand in the request line; 400 for what two parsers could read differently. */
export function parseRawTarget(target: string): RawTarget | Refusal {
  if (!/^\/[\x21\x24-\x7e]*$/.test(target)) return BAD_PATH; // printable ASCII without `"` and `#`
  const at = target.indexOf('?');
  const path = at < 0 ? target : target.slice(0, at);
  const query = at < 0 ? '' : target.slice(at + 1);
  if (PLAIN_PATH.test(path)) return { path, query };
  const segments = path.slice(1).split('/');
  // one empty segment at the end is a trailing slash: another path, so 404, and not malformed
  if (segments.at(-1) === '') segments.pop();
  return segments.every(isPlainSegment) ? { path, query } : BAD_PATH;
}

function isPlainSegment(segment: string): boolean {
  let decoded: string;
  try {
    decoded = decodeURIComponent(segment);
  } catch {
    return false;
  }
  return decoded !== '' && decoded !== '.' && decoded !== '..' && !/[/\\\0]/.test(decoded);
}
