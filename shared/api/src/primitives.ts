/** Building blocks of the API's schemas: each states its shape, limits and public error text. */
import { z } from 'zod';
import { refuse, type Refusal } from '@countersign/core/errors.js';
import { UUID_PATTERN } from '@countersign/core/hash.js';

export const id = z
  .string()
  .regex(UUID_PATTERN, 'must be a UUID')
  .meta({ format: 'uuid', description: 'UUID in lower case.' });

export const dateTime = z
  .string()
  .meta({ format: 'date-time', description: 'RFC 3339, UTC, milliseconds.' });

export const displayName = z
  .string()
  .min(1)
  .max(128)
  // control and line-separator characters would let a name forge log lines and terminal output
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]+$/u, 'must not contain control characters')
  .refine((text) => text.trim() === text, 'must not begin or end with white space')
  .describe(
    'Name for people: 1 to 128 characters, without control characters and without white space at either end.',
  );

export const description = z
  .string()
  .max(1024)
  .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters')
  .nullable()
  .describe(
    'Text for people: at most 1024 characters, no control or line-break characters; null for none.',
  );

export const idList = (max = 100) =>
  z
    .array(id)
    .max(max)
    .refine((ids) => new Set(ids).size === ids.length, 'must not repeat an id')
    .describe(`Ids, at most ${max}, none twice.`);

/** A comma-separated query value as an array; an empty item or a malformed id is a syntax error. */
export const commaSeparatedIds = commaSeparated(UUID_PATTERN);

export const commaSeparatedAddresses = commaSeparated(/^[A-Za-z0-9]{1,128}$/);

export const commaSeparatedWords = commaSeparated(/^[a-z0-9_-]{1,64}$/);

export function commaSeparated(item: RegExp) {
  return z
    .string()
    .transform((text) => text.split(','))
    .superRefine((items, context) => {
      if (items.some((text) => !item.test(text))) {
        context.addIssue({ code: 'custom', message: 'malformed list', params: { syntax: true } });
      } else if (items.length > 100) {
        context.addIssue({ code: 'custom', message: 'at most 100 items' });
      }
    })
    .describe('Comma-separated, 1 to 100 items.');
}

export const pageLimit = z
  .string()
  .superRefine((text, context) => {
    if (!/^-?\d{1,10}$/.test(text)) {
      context.addIssue({
        code: 'custom',
        message: 'must be an integer',
        params: { syntax: true },
      });
    }
  })
  .transform(Number)
  .pipe(z.number().int().min(1).max(100));

export const pageQuery = {
  cursor: z
    .string()
    .optional()
    .describe(
      '`next_cursor` of the page before; the same caller and the same filters as there. Absent: the first page.',
    ),
  limit: pageLimit.optional().describe('How many results at most, 1 to 100; 50 when absent.'),
};

export const DEFAULT_PAGE_LIMIT = 50;

/** A value that must be one of a few words; another word is a syntax error of the query. */
export function queryEnum<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z
    .string()
    .superRefine((text, context) => {
      if (!words.includes(text)) {
        context.addIssue({
          code: 'custom',
          message: `must be one of ${words.join(', ')}`,
          params: { syntax: true },
        });
      }
    })
    .transform((text) => text as Words[number])
    .meta({ enum: [...words], description: 'One of the listed words.' });
}

/**
 * The typed value, or a refusal: 400 where the JSON type or the syntax is wrong, 422 where the value
 * is well-formed but not acceptable. Only the first fault is told; the text never echoes the input.
 */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> | Refusal {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  const where = issue.path.length === 0 ? '' : `${issue.path.map(String).join('.')}: `;
  return refuse(
    isSyntaxFault(issue, value) ? 'parse_error' : 'invalid_inputs',
    where + publicText(issue),
  );
}

function isSyntaxFault(issue: z.core.$ZodIssue, root: unknown): boolean {
  if (issue.code === 'custom') return issue.params?.['syntax'] === true;
  if (issue.code !== 'invalid_type' && issue.code !== 'invalid_union') return false;
  const { found, value } = valueAt(root, issue.path);
  if (!found) return false;
  if (issue.code === 'invalid_type') return true;
  return typeof value !== 'string' && typeof value !== 'object';
}

function valueAt(root: unknown, path: PropertyKey[]): { found: boolean; value: unknown } {
  let value: unknown = root;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) {
      return { found: false, value: undefined };
    }
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return { found: value !== undefined, value };
}

function publicText(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'unrecognized_keys':
      return `unknown field${issue.keys.length > 1 ? 's' : ''}`;
    case 'invalid_type':
      return issue.message.includes('received undefined')
        ? 'is required'
        : `must be of type ${issue.expected}`;
    case 'too_small':
      return `must be at least ${String(issue.minimum)} ${unitOf(issue.origin)}`.trim();
    case 'too_big':
      return `must be at most ${String(issue.maximum)} ${unitOf(issue.origin)}`.trim();
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_union':
      return 'has no acceptable form';
    default:
      return issue.message;
  }
}

function unitOf(origin: string): string {
  return origin === 'string' ? 'characters long' : origin === 'array' ? 'items long' : '';
}
