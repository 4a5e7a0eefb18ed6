/** Building blocks of requests: each states its shape, limits and public error text. */
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
/** None of those, and no separators of lines or paragraphs. */
// oxlint-disable-next-line eslint/no-control-regex -- they are what it refuses
const ONE_LINE = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]+$/;
const WHITE =
  '[\\u0009-\\u000d\\u0020\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]';
const WHITE_ENDS = new RegExp(`^${WHITE}|${WHITE}$`);

/** Control and line-separator characters would let a text forge log lines and terminal output. */
export const oneLine = (max: number) =>
  s.string().min(1).max(max).regex(ONE_LINE, 'must not contain control characters');

export const displayName = oneLine(128).refine(
  (text) => !WHITE_ENDS.test(text),
  'must not begin or end with white space',
);

export const description = s
  .string()
  .max(1024)
  .regex(NO_CONTROLS, 'must not contain control characters')
  .nullable();

/** Compared exactly, so it has no characters that look like others. */
export const visibleText = (most: number) =>
  s
    .string()
    .max(most)
    .regex(/^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/, 'must be printable ASCII');

export const idList = (max = 100) =>
  s
    .array(id)
    .max(max)
    .refine((ids) => new Set(ids).size === ids.length, 'must not repeat an id');

/** A comma-separated query value as an array; an empty item or a malformed id is a syntax error. */
export const commaSeparatedIds = commaSeparated(UUID_PATTERN, 'UUIDs in lower case');

export const commaSeparatedAddresses = commaSeparated(/^[A-Za-z0-9]{1,128}$/, 'addresses');

/** `what`: plural, for the error text about the items. */
export function commaSeparated(item: RegExp, what: string) {
  return s
    .string()
    .transform((text) => text.split(','))
    .check((items) => {
      const input = items.find((text) => !item.test(text));
      if (input !== undefined) {
        return { message: `must be ${what} with commas between them`, input, syntax: true };
      }
      return items.length > 100 ? { message: 'at most 100 items' } : undefined;
    });
}

/** Refuses an object that would change nothing. */
export const changesSomething = [
  (body: object) => Object.keys(body).length > 0,
  'must change something',
] as const;
