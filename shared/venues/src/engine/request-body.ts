/** Reads a request's body: strict form, or strict JSON. */
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import { JsonNumber, parseWrittenJson } from '@countersign/core/written-json.js';
import { invalid, parseParameters, type Parameter } from './wire-form.js';

/** Its numbers are {@link JsonNumber}s, so what is compared is what the venue is sent. */
export type JsonObject = Readonly<Record<string, unknown>>;

export type RequestBody =
  | { readonly kind: 'empty' }
  | { readonly kind: 'form'; readonly parameters: readonly Parameter[] }
  | { readonly kind: 'json'; readonly object: JsonObject }
  | { readonly kind: 'json_list'; readonly items: readonly JsonObject[] };

interface JsonRules {
  /** Letters and digits of any script, for venues that have symbols in them. Default: ASCII only. */
  readonly anyScript?: boolean;
}

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
const PRINTABLE_ANY_SCRIPT = /^(?:[\x20-\x7e]|\p{L}|\p{N})*$/u;

/** A form body, or an empty one. */
export function formBody(raw: string): RequestBody | Refusal {
  return formBodyWithLists(raw, []);
}

/** As {@link formBody}; the parameters named in `lists` may hold an unencoded JSON list. */
export function formBodyWithLists(raw: string, lists: readonly string[]): RequestBody | Refusal {
  if (raw === '') return { kind: 'empty' };
  const parameters = parseParameters(raw, 'body', { rawJson: lists });
  return isRefusal(parameters) ? parameters : { kind: 'form', parameters };
}

/**
 * A JSON object, or an array of objects, or nothing. 422 for anything else, for duplicate keys (also those that differ
 * only in letter case), and for anything but printable ASCII, escaped or not. Hardly a venue needs more in JSON, and
 * look-alike letters disguise names.
 */
export function jsonBody(raw: string): RequestBody | Refusal {
  return readJsonBody(raw, {});
}

/** As {@link jsonBody}, with letters and digits of any script. */
export function jsonBodyInAnyScript(raw: string): RequestBody | Refusal {
  return readJsonBody(raw, { anyScript: true });
}

function readJsonBody(raw: string, rules: JsonRules): RequestBody | Refusal {
  if (raw === '') return { kind: 'empty' };
  const value = parseJson(raw, rules);
  if (isRefusal(value)) return value;
  if (isJsonObject(value.json)) return { kind: 'json', object: value.json };
  if (Array.isArray(value.json) && value.json.length > 0 && value.json.every(isJsonObject)) {
    return { kind: 'json_list', items: value.json };
  }
  return invalid('the body must be a JSON object, or a list of objects where the venue takes one');
}

/** Any JSON value under the rules of {@link jsonBody}: for JSON text inside a parameter. */
export function parseJson(
  raw: string,
  rules: JsonRules = {},
): { readonly json: unknown } | Refusal {
  const printable = rules.anyScript === true ? PRINTABLE_ANY_SCRIPT : PRINTABLE_ASCII;
  if (!printable.test(raw) || raw.includes('\\u')) {
    return invalid('JSON for a venue must be printable ASCII without \\u escapes');
  }
  const parsed = parseWrittenJson(Buffer.from(raw, 'utf8'));
  if (isRefusal(parsed)) return invalid(parsed.message);
  if (!hasDistinctKeys(parsed.value)) return invalid('the body has a duplicate key');
  return { json: parsed.value };
}

export function isJsonObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof JsonNumber)
  );
}

/** Whether no object holds two keys that differ only in letter case: some servers fold case. */
function hasDistinctKeys(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(hasDistinctKeys);
  if (!isJsonObject(value)) return true;
  const folded = new Set(Object.keys(value).map((key) => key.toLowerCase()));
  return folded.size === Object.keys(value).length && Object.values(value).every(hasDistinctKeys);
}
