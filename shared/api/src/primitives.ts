/** Building blocks of answers and of queries that only read; `requests/` has those of requests that are judged. */
import * as s from '@countersign/core/shapes.js';
import { commaSeparated, displayName as displayNameShape } from './requests/primitives.js';

export { commaSeparatedAddresses, commaSeparatedIds, id, idList } from './requests/primitives.js';

export const DISPLAY_NAME_TEXT =
  'Name for people: 1 to 128 characters, without control characters and without white space at either end.';

export const DESCRIPTION_TEXT = 'Text for people, at most 1024 characters; null or absent: none.';

export const displayName = displayNameShape.describe(DISPLAY_NAME_TEXT);

export const dateTime = s
  .string()
  .meta({ format: 'date-time', description: 'RFC 3339, UTC, milliseconds.' });

export const commaSeparatedWords = commaSeparated(/^[a-z0-9_-]{1,64}$/, 'lower-case words');

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

export const nameFilter = s
  .string()
  .max(128)
  .optional()
  .describe('Part of the name, without regard to case. Absent: all.');

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
