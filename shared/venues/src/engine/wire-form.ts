/**
 * Reads a request's path, query and form body in the only spelling that the vault accepts. With two spellings of one
 * meaning the venue could read something else than the rule did. So anything that leaves room for a second reading is
 * refused.
 */
import { refuse, type Refusal } from '@countersign/core/errors.js';

/** One parameter, decoded. */
export interface Parameter {
  readonly name: string;
  readonly value: string;
}

/** Characters that are left unencoded in a query or form; all others are percent-encoded UTF-8. */
const PLAIN = /^[A-Za-z0-9\-._~!*'(),:@[\]]$/;
const ALL_PLAIN = /^[A-Za-z0-9\-._~!*'(),:@[\]]*$/;
/** RFC 3986 section 2.3: never percent-encoded, since encoding them gives a second spelling. */
const UNRESERVED = /^[A-Za-z0-9\-._~]$/;
/** JSON text that is its own percent-decoding, and holds nothing that separates parts of a form. */
const RAW_JSON_LIST = /^\[[A-Za-z0-9\-._~!*'(),:@[\]{}"/]*\]$/;
const NAME = /^[A-Za-z0-9_.-]+(?:\[[A-Za-z0-9_]*\])*$/;
const PATH = /^(?:\/[A-Za-z0-9._:-]+)+$/;
// eslint-disable-next-line no-control-regex -- control characters are what this looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function invalid(message: string): Refusal {
  return refuse('invalid_inputs', message);
}

/** Exceptions from the rules for some names, in their exact spelling. */
export interface FormExceptions {
  /** These may be given more than once. Only the first is in the result, so no rule may look at such a parameter. */
  readonly repeatable?: readonly string[];
  /** These may hold an unencoded JSON list. */
  readonly rawJson?: readonly string[];
}

/**
 * The parameters of a raw query or form body, in the order of the wire. 422 for: an empty part, a part
 * without `=`, an empty name, a name given twice in any letter case, `+`, a raw character that has to
 * be encoded, lower-case or needless percent-encoding, invalid UTF-8, control characters.
 * `where` names the container in the message.
 */
export function parseParameters(
  raw: string,
  where: 'query' | 'body',
  { repeatable = [], rawJson = [] }: FormExceptions = {},
): readonly Parameter[] | Refusal {
  if (raw === '') return [];
  const parameters: Parameter[] = [];
  const seen = new Set<string>();
  for (const part of raw.split('&')) {
    const parameter = parseParameter(part, rawJson);
    if (parameter === undefined) {
      return invalid(`the ${where} is not in canonical form: name=value pairs, percent-encoded`);
    }
    // some servers fold letter case: `Amount` beside `amount` would be a second amount
    const folded = parameter.name.toLowerCase();
    if (
      repeatable.includes(parameter.name) &&
      parameters.some(({ name }) => name === parameter.name)
    )
      continue;
    if (seen.has(folded)) return invalid(`the ${where} names a parameter twice`);
    seen.add(folded);
    parameters.push(parameter);
  }
  return parameters;
}

function parseParameter(part: string, rawJson: readonly string[]): Parameter | undefined {
  const equals = part.indexOf('=');
  if (equals <= 0) return undefined;
  const name = decode(part.slice(0, equals));
  const stated = part.slice(equals + 1);
  const isRawJson = name !== undefined && rawJson.includes(name) && RAW_JSON_LIST.test(stated);
  const value = isRawJson ? stated : decode(stated);
  if (name === undefined || value === undefined || !NAME.test(name)) return undefined;
  return { name, value };
}

function decode(raw: string): string | undefined {
  if (ALL_PLAIN.test(raw)) return raw;
  const bytes: number[] = [];
  for (let at = 0; at < raw.length; at++) {
    const char = raw[at]!;
    if (char === '%') {
      const hex = raw.slice(at + 1, at + 3);
      if (!/^[0-9A-F]{2}$/.test(hex)) return undefined;
      const byte = Number.parseInt(hex, 16);
      if (UNRESERVED.test(String.fromCharCode(byte))) return undefined;
      bytes.push(byte);
      at += 2;
    } else {
      if (!PLAIN.test(char)) return undefined;
      bytes.push(char.charCodeAt(0));
    }
  }
  try {
    const text = utf8.decode(Uint8Array.from(bytes));
    return CONTROL.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** A 422 unless the path is `/` and segments of `[A-Za-z0-9._:-]`, none of them empty, `.` or `..`. */
export function checkPath(path: string): Refusal | undefined {
  if (!PATH.test(path) || path.split('/').some((segment) => segment === '.' || segment === '..')) {
    return invalid(
      'the path is not a plain path: /segments of letters, digits, ".", "_", ":", "-"',
    );
  }
  return undefined;
}

/** Joins raw parts of a query or form, leaving out the empty ones. */
export function joinRaw(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('&');
}
