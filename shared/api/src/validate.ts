/** Checks a request's values by the API's schemas, and writes the public text of faults. */
import type { AnyShape, Issue, OutputOf } from '@countersign/core/shapes.js';
import { refuse, type Refusal } from '@countersign/core/errors.js';
import { quoteName } from '@countersign/core/quote-name.js';

type Named = 'field' | 'query parameter';

/**
 * The typed value of a body or a query, or a refusal: 400 if the JSON type is wrong, 422 if the value is well-formed
 * but not acceptable. It names the first fault, and unknown fields. It never echoes a body's values, which may be
 * secret. In a query, a word that is not allowed, or a malformed id, is a fault of syntax (400), and is named.
 */
export function validate<Schema extends AnyShape>(
  schema: Schema,
  value: unknown,
  named: Named = 'field',
): OutputOf<Schema> | Refusal {
  const read = schema.read(value);
  return 'value' in read ? (read.value as OutputOf<Schema>) : refuseIssues(read.issues, named);
}

function refuseIssues(issues: readonly Issue[], named: Named): Refusal {
  const first = issues[0]!;
  const isSyntax =
    first.code === 'type' ||
    first.code === 'syntax' ||
    (named === 'query parameter' && (first.code === 'word' || first.code === 'format'));
  // a misspelt name shows as a missing field first
  const unknown = issues.find((issue) => issue.code === 'keys');
  const told = unknown === undefined || unknown === first ? [first] : [first, unknown];
  const text = told.map((issue) => faultText(issue, named)).join('; ');
  return refuse(isSyntax ? 'parse_error' : 'invalid_inputs', text);
}

/** One fault of a value, for people. */
export function faultText(issue: Issue, named: Named = 'field'): string {
  const { path, code, input, keys, message } = issue;
  const where = path.length === 0 ? '' : `${path.map(pathStep).join('.')}: `;
  const isTold = named === 'query parameter' && TOLD.has(code) && typeof input === 'string';
  const what =
    keys === undefined
      ? message
      : `unknown ${named}${keys.length > 1 ? 's' : ''} ${listNames(keys)}`;
  return where + what + (isTold ? `, not ${quoteName(input)}` : '');
}

const TOLD: ReadonlySet<Issue['code']> = new Set(['word', 'format', 'syntax']);

/** A step may be a key that the caller made up, in a record such as `labels`. */
function pathStep(step: string | number): string {
  const text = String(step);
  return /^[a-z0-9_]{1,64}$/.test(text) ? text : quoteName(text);
}

const MAX_NAMES = 3;

function listNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(quoteName).join(', ');
  const left = names.length - MAX_NAMES;
  return left > 0 ? `${shown} and ${left} more` : shown;
}
