import type * as s from '@countersign/core/shapes.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import { quoteName } from '@countersign/core/quote-name.js';
import { validate } from './validate.js';

/** The typed values of a raw query, or a refusal. */
export function parseQuery<Schema extends s.AnyShape>(
  schema: Schema,
  raw: string,
): s.OutputOf<Schema> | Refusal {
  const values = parseQueryString(raw);
  return isRefusal(values) ? values : validate(schema, values, 'query parameter');
}

/**
 * The raw query as a flat record. A malformed escape is 400. A repeated name is 422, since parsers must never differ
 * on which of two values counts.
 */
function parseQueryString(raw: string): Record<string, string> | Refusal {
  const values: Record<string, string> = Object.create(null) as Record<string, string>;
  if (raw === '') return values;
  for (const part of raw.split('&')) {
    const at = part.indexOf('=');
    const name = decodeComponent(at < 0 ? part : part.slice(0, at));
    const value = decodeComponent(at < 0 ? '' : part.slice(at + 1));
    if (name === undefined || value === undefined || name === '') {
      return refuse('parse_error', 'malformed query string');
    }
    if (name in values) {
      return refuse('invalid_inputs', `the query parameter ${quoteName(name)} is repeated`);
    }
    values[name] = value;
  }
  return values;
}

function decodeComponent(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '));
    return decoded.includes('\0') ? undefined : decoded;
  } catch {
    return undefined;
  }
}
