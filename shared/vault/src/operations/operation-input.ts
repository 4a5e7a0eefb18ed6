/** Reads path, query and body of a request by its operation's own schemas. */
import type * as s from '@countersign/core/shapes.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import { parseStrictJson } from '@countersign/core/strict-json.js';
import { parseQuery } from '@countersign/api/query-string.js';
import { validate } from '@countersign/api/validate.js';
import type { Input, RawInput } from './operation-types.js';

export type { Input, RawInput } from './operation-types.js';

/** Caches the templates that were asked for: a few dozen. */
const SEGMENTS = new Map<string, readonly string[]>();

function segmentsOf(template: string): readonly string[] {
  const known = SEGMENTS.get(template);
  if (known !== undefined) return known;
  const segments = template.split('/');
  SEGMENTS.set(template, segments);
  return segments;
}

/** Path parameters, or undefined when the path is another one. Segments are compared as they stand. */
export function matchPath(template: string, path: string): Record<string, string> | undefined {
  const expected = segmentsOf(template);
  const actual = path.split('/');
  if (expected.length !== actual.length) return undefined;
  const params: Record<string, string> = {};
  for (let index = 0; index < expected.length; index++) {
    const [part, value] = [expected[index]!, actual[index]!];
    if (part.startsWith('{')) {
      if (value === '') return undefined;
      params[part.slice(1, -1)] = value;
    } else if (part !== value) return undefined;
  }
  return params;
}

/** Checks query and body by the operation's schemas. */
export function parseInput<Query extends s.AnyShape, Body extends s.AnyShape>(
  operation: { query: Query; body: Body; bodyOptional?: boolean },
  raw: RawInput,
): Input<s.OutputOf<Query>, s.OutputOf<Body>> | Refusal {
  const query = parseQuery(operation.query, raw.query);
  if (isRefusal(query)) return query;
  const json = parseBody(raw.body, operation.bodyOptional === true);
  if (isRefusal(json)) return json;
  const body = validate(operation.body, json.value);
  if (isRefusal(body)) return body;
  return { params: raw.params, query, body };
}

function parseBody(body: Uint8Array, optional: boolean): { value: unknown } | Refusal {
  if (body.length === 0 && optional) return { value: {} };
  const json = parseStrictJson(body);
  if (isRefusal(json)) return json;
  if (typeof json.value !== 'object' || json.value === null || Array.isArray(json.value)) {
    return refuse('parse_error', 'the body must be a JSON object');
  }
  return json;
}
