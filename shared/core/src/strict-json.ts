/**
 * JSON for signed bodies. JSON.parse alone would accept two readings of one signed text: of a duplicate key, the last
 * value silently wins. Here it is refused, and so are invalid UTF-8, a byte order mark, and nesting deep enough to
 * exhaust a stack.
 */
import type { Bytes } from './bytes.js';
import { refuse, type Refusal } from './errors.js';
import { quoteName } from './quote-name.js';

const MAX_DEPTH = 32;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export type JsonResult = { readonly value: unknown } | Refusal;

/** The parsed value, or a 400 refusal. Never throws. */
export function parseStrictJson(bytes: Bytes): JsonResult {
  return parseStrictly(bytes, (_text, value) => value);
}

/** `read`: makes the value of a valid text, given the result of JSON.parse. */
export function parseStrictly(
  bytes: Bytes,
  read: (text: string, value: unknown) => unknown,
): JsonResult {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return refuse('parse_error', 'the body is not valid UTF-8');
  }
  const structural = findStructuralFault(text);
  if (structural !== undefined) return refuse('parse_error', structural);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse('parse_error', 'the body is not valid JSON');
  }
  return { value: read(text, value) };
}

interface Level {
  /** Keys seen so far; undefined in an array. */
  readonly keys: Set<string> | undefined;
  expectsKey: boolean;
}

/**
 * One pass over the text, before any recursive parser sees it. Faults of grammar are left for
 * JSON.parse; this looks for depth and for keys that JSON.parse would fold into one.
 */
function findStructuralFault(text: string): string | undefined {
  const levels: Level[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    const level = levels.at(-1);
    if (char === '"') {
      const end = endOfString(text, at);
      if (end < 0) return 'the body is not valid JSON';
      if (level?.keys !== undefined && level.expectsKey) {
        const fault = addKey(level, text, at, end);
        if (fault !== undefined) return fault;
      }
      at = end;
    } else if (char === '{' || char === '[') {
      if (levels.length >= MAX_DEPTH) return `the body is nested deeper than ${MAX_DEPTH} levels`;
      levels.push({ keys: char === '{' ? new Set() : undefined, expectsKey: char === '{' });
    } else if (char === '}' || char === ']') {
      levels.pop();
    } else if (char === ',' && level?.keys !== undefined) {
      level.expectsKey = true;
    }
  }
  return undefined;
}

function addKey(level: Level, text: string, start: number, end: number): string | undefined {
  level.expectsKey = false;
  let key: string;
  try {
    key = stringBetween(text, start, end);
  } catch {
    return 'the body is not valid JSON';
  }
  if (key === '__proto__') return 'the key "__proto__" is not allowed';
  if (level.keys?.has(key) === true) return `the body has the duplicate key ${quoteName(key)}`;
  level.keys?.add(key);
  return undefined;
}

/** Where the string that begins at `start` has its closing quote; -1 when it has none. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return -1;
}

/** The content of the string between two quotes. Throws SyntaxError for an invalid escape. */
export function stringBetween(text: string, start: number, end: number): string {
  const plain = text.slice(start + 1, end);
  return plain.includes('\\') ? (JSON.parse(text.slice(start, end + 1)) as string) : plain;
}
