/** Building blocks of the API's schemas: each states its shape, limits and public error text. */
import * as s from '@countersign/core/shapes.js';
import { UUID_PATTERN } from '@countersign/core/hash.js';

export const id = s
  .string()
  .regex(UUID_PATTERN, 'must be a UUID in lower case')
  .meta({ format: 'uuid', description: 'UUID in lower case.' });

// Written down code point by code point: a class such as \p{Cc}, and `trim`, mean what the Unicode tables of the
// running Node say.
/** No control characters (C0, delete, C1). */
// oxlint-disable-next-line eslint/no-control-regex -- they are what it refuses
const NO_CONTROLS = /^[^\u0000-\u001f\u007f-\u009f]*$/;
/** Neither those nor the separators of lines and paragraphs. */
// oxlint-disable-next-line eslint/no-control-regex -- they are what it refuses
export const ONE_LINE = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]+$/;
const WHITE =
  '[\\u0009-\\u000d\\u0020\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]';
const WHITE_ENDS = new RegExp(`^${WHITE}|${WHITE}$`);

export const dateTime = s
  .string()
  .meta({ format: 'date-time', description: 'RFC 3339, UTC, milliseconds.' });

export const displayName = s
  .string()
  .min(1)
  .max(128)
  // control and line-separator characters would let a name forge log lines and terminal output
  .regex(ONE_LINE, 'must not contain control characters')
  .refine((text) => !WHITE_ENDS.test(text), 'must not begin or end with white space')
  .describe(
    'Name for people: 1 to 128 characters, without control characters and without white space at either end.',
  );

export const description = s
  .string()
  .max(1024)
  .regex(NO_CONTROLS, 'must not contain control characters')
  .nullable()
  .describe(
    'Text for people: at most 1024 characters, no control or line-break characters; null for none.',
  );

export const idList = (max = 100) =>
  s
    .array(id)
    .max(max)
    .refine((ids) => new Set(ids).size === ids.length, 'must not repeat an id')
    .describe(`Ids, at most ${max}, none twice.`);

/** A comma-separated query value as an array; an empty item or a malformed id is a syntax error. */
export const commaSeparatedIds = commaSeparated(UUID_PATTERN, 'UUIDs in lower case');

export const commaSeparatedAddresses = commaSeparated(/^[A-Za-z0-9]{1,128}$/, 'addresses');

export const commaSeparatedWords = commaSeparated(/^[a-z0-9_-]{1,64}$/, 'lower-case words');

/** `what`: plural, for the text that says what every item must be. */
function commaSeparated(item: RegExp, what: string) {
  return s
    .string()
    .transform((text) => text.split(','))
    .check((items) => {
      const input = items.find((text) => !item.test(text));
      if (input !== undefined) {
        return { message: `must be ${what} with commas between them`, input, syntax: true };
      }
      return items.length > 100 ? { message: 'at most 100 items' } : undefined;
    })
    .describe('Comma-separated, 1 to 100 items.');
}

/** A comma-separated query value of a few known words. */
export function commaSeparatedEnum<const Words extends readonly [string, ...string[]]>(
  words: Words,
) {
  return commaSeparated(
    new RegExp(`^(?:${words.join('|')})$`),
    `one or more of ${words.join(', ')}`,
  ).transform((items) => items as Words[number][]);
}

export const pageLimit = s
  .string()
  .check((text) =>
    /^-?\d{1,10}$/.test(text) ? undefined : { message: 'must be an integer', syntax: true },
  )
  .transform(Number)
  .pipe(s.int().min(1).max(100));

export const pageQuery = {
  cursor: s
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
  return s
    .string()
    .check((text) =>
      words.includes(text)
        ? undefined
        : { message: `must be one of ${words.join(', ')}`, syntax: true },
    )
    .transform((text) => text as Words[number])
    .meta({ enum: [...words], description: 'One of the listed words.' });
}
