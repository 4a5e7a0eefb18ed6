/** Checks a request's values by the API's schemas, and writes the public text of faults. */
import type { AnyShape, Issue, OutputOf, Path, UnionIssue } from '@countersign/core/shapes.js';
import { refuse, type Refusal } from '@countersign/core/errors.js';
import { quoteName } from '@countersign/core/quote-name.js';

/**
 * A body's typed value, or a refusal: 400 if the JSON type is wrong, 422 if the value is well-formed but not
 * acceptable. It names the first fault, and unknown fields. It never echoes a body's values, which may be secret.
 */
export function validate<Schema extends AnyShape>(
  schema: Schema,
  value: unknown,
): OutputOf<Schema> | Refusal {
  const read = schema.read(value);
  return 'value' in read
    ? (read.value as OutputOf<Schema>)
    : refuseIssues(read.issues, value, 'field');
}

/**
 * As {@link validate}, for a query's values. A word that is not allowed, or a malformed id, is a fault of syntax here
 * (400). It is named, since a query is no place for secrets.
 */
export function validateQuery<Schema extends AnyShape>(
  schema: Schema,
  values: Readonly<Record<string, string>>,
): OutputOf<Schema> | Refusal {
  const read = schema.read(values);
  return 'value' in read
    ? (read.value as OutputOf<Schema>)
    : refuseIssues(read.issues, values, 'query parameter');
}

type Named = 'field' | 'query parameter';

function refuseIssues(issues: readonly Issue[], root: unknown, named: Named): Refusal {
  const first = issues[0]!;
  const isSyntax =
    isSyntaxFault(first, root) || (named === 'query parameter' && isMalformedWord(first));
  // a misspelt name shows as a missing field first
  const unknown = issues.find((issue) => issue.code === 'unrecognized_keys');
  const told = unknown === undefined || unknown === first ? [first] : [first, unknown];
  const text = told.map((issue) => textAt(closestFault(issue), root, named)).join('; ');
  return refuse(isSyntax ? 'parse_error' : 'invalid_inputs', text);
}

/** One fault of a value, for people. `root`: the value at which the fault's path begins. */
export function faultText(issue: Issue, root: unknown): string {
  return textAt(closestFault(issue), root, 'field');
}

function isSyntaxFault(issue: Issue, root: unknown): boolean {
  if (issue.code === 'custom') return issue.syntax;
  if (issue.code !== 'invalid_type' && issue.code !== 'invalid_union') return false;
  const { found, value } = valueAt(root, issue.path);
  if (!found) return false;
  if (issue.code === 'invalid_type') return true;
  return typeof value !== 'string' && typeof value !== 'object';
}

function isMalformedWord({ code }: Issue): boolean {
  return code === 'invalid_format' || code === 'invalid_value';
}

function valueAt(root: unknown, path: Path): { found: boolean; value: unknown } {
  let value: unknown = root;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) {
      return { found: false, value: undefined };
    }
    value = (value as Record<string | number, unknown>)[step];
  }
  return { found: value !== undefined, value };
}

/** If a value has one of its possible forms except for a detail, that detail. */
function closestFault(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue;
  const details = issue.errors.flatMap(([first]) =>
    first === undefined || isOtherForm(first) ? [] : [first],
  );
  const [detail] = details;
  return detail === undefined || details.length > 1
    ? issue
    : closestFault({ ...detail, path: [...issue.path, ...detail.path] });
}

/** Whether the value as a whole has another form. */
function isOtherForm({ path, code }: Issue): boolean {
  return path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
}

function textAt(issue: Issue, root: unknown, named: Named): string {
  const where = issue.path.length === 0 ? '' : `${issue.path.map(pathStep).join('.')}: `;
  if (isMissing(issue, root)) return `${where}is required`;
  const isWord = isMalformedWord(issue) || (issue.code === 'custom' && issue.syntax);
  const isTold = named === 'query parameter' && isWord && typeof issue.input === 'string';
  return where + publicText(issue, named) + (isTold ? `, not ${quoteName(issue.input)}` : '');
}

/** A step may be a key that the caller made up, in a record such as `labels`. */
function pathStep(step: string | number): string {
  const text = String(step);
  return /^[a-z0-9_]{1,64}$/.test(text) ? text : quoteName(text);
}

function isMissing({ code, path }: Issue, root: unknown): boolean {
  const step = path.at(-1);
  if (step === undefined || !['invalid_type', 'invalid_value', 'invalid_union'].includes(code)) {
    return false;
  }
  const parent = valueAt(root, path.slice(0, -1));
  const isObject = typeof parent.value === 'object' && parent.value !== null;
  return isObject && !valueAt(root, path).found;
}

function publicText(issue: Issue, named: Named): string {
  switch (issue.code) {
    case 'unrecognized_keys':
      return `unknown ${named}${issue.keys.length > 1 ? 's' : ''} ${listNames(issue.keys)}`;
    case 'invalid_type':
      return `must be of type ${issue.expected}`;
    case 'too_small':
      return `must be at least ${String(issue.minimum)} ${unitOf(issue.origin)}`.trim();
    case 'too_big':
      return `must be at most ${String(issue.maximum)} ${unitOf(issue.origin)}`.trim();
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_union':
      return unionText(issue, named);
    case 'invalid_key':
      return 'is not an allowed name';
    default:
      return issue.message;
  }
}

const MAX_NAMES = 3;

function listNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(quoteName).join(', ');
  const left = names.length - MAX_NAMES;
  return left > 0 ? `${shown} and ${left} more` : shown;
}

/** The values allowed: the words of its discriminator, or each of its forms. */
function unionText(issue: UnionIssue, named: Named): string {
  if (issue.options !== undefined) {
    return `must be one of ${issue.options.map(String).join(', ')}`;
  }
  const forms = issue.errors.flatMap(([first]) =>
    first === undefined ? [] : [publicText(first, named)],
  );
  return forms.length === 0 ? 'has no acceptable form' : [...new Set(forms)].join(' or ');
}

function unitOf(origin: string): string {
  return origin === 'string' ? 'characters long' : origin === 'array' ? 'items long' : '';
}
