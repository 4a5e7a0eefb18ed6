/** Building blocks of the API's schemas: each states its shape, limits and public error text. */
import { z } from 'zod';
import { UUID_PATTERN } from '@countersign/core/hash.js';

export const id = z
  .string()
  .regex(UUID_PATTERN, 'must be a UUID in lower case')
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
export const commaSeparatedIds = commaSeparated(UUID_PATTERN, 'UUIDs in lower case');

export const commaSeparatedAddresses = commaSeparated(/^[A-Za-z0-9]{1,128}$/, 'addresses');

export const commaSeparatedWords = commaSeparated(/^[a-z0-9_-]{1,64}$/, 'lower-case words');

/** `what`: plural, for the text that says what every item must be. */
function commaSeparated(item: RegExp, what: string) {
  return z
    .string()
    .transform((text) => text.split(','))
    .superRefine((items, context) => {
      const input = items.find((text) => !item.test(text));
      if (input !== undefined) {
        const message = `must be ${what} with commas between them`;
        context.addIssue({ code: 'custom', message, input, params: { syntax: true } });
      } else if (items.length > 100) {
        context.addIssue({ code: 'custom', message: 'at most 100 items' });
      }
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
