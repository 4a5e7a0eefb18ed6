/** Shapes and texts of a request stand apart: neither may have a field that the other lacks. */
import { describe, expect, it } from '@jest/globals';
import * as s from '@countersign/core/shapes.js';
import { describeBody, describeQuery } from './request-texts.js';

const body = s
  .strictObject({
    name: s.string().max(9),
    parts: s.array(s.strictObject({ of: s.int() })).optional(),
  })
  .refine(({ name }) => name !== 'no', 'must not be no');

const texts = { name: 'A name.', parts: ['Parts.', { of: 'Of what.' }] } as const;

describe('a request with texts', () => {
  it('reads what it read without them', () => {
    const described = describeBody(body, { name: 'Body', body: texts });
    for (const value of [{ name: 'a' }, { name: 'no' }, { name: 'a', parts: [{ of: '1' }] }, 1]) {
      expect(described.read(value)).toEqual(body.read(value));
    }
  });

  it.each([
    ['a field has no text', { name: 'A name.' }, 'no text for the field "parts"'],
    ['a text has no field', { ...texts, nmae: 'A name.' }, 'a text for "nmae", which is no field'],
    ['a text has no field below', { name: 'A.', parts: ['P.', { of: 'O.', by: 'B.' }] }, '"by"'],
    ['a field below has no text', { name: 'A.', parts: ['P.', {}] }, 'no text for the field "of"'],
    ['there is nothing below', { name: ['A.', { of: 'O.' }], parts: 'P.' }, 'fields of string'],
    ['there is one form', [texts, texts], 'texts for 2 forms of strictObject'],
  ] as const)('is refused where %s', (_what, wrong, message) => {
    expect(() => describeBody(body, { body: wrong as never })).toThrow(message);
  });

  it('has texts for its query alone', () => {
    expect(() => describeQuery(body, { query: { name: 'A name.' } })).toThrow('"parts"');
    expect(describeQuery(body, { body: texts })).toBe(body);
  });

  it('has a text for each field of each of its forms', () => {
    const forms = s.discriminatedUnion('type', [
      s.strictObject({ type: s.literal('a') }),
      s.strictObject({ type: s.literal('b'), more: s.int() }),
    ]);
    const a = { type: 'The first.' };
    const b = { type: 'The other.', more: 'More.' };
    expect(describeBody(forms, { body: [a, b] }).read({ type: 'a' })).toHaveProperty('value');
    expect(() => describeBody(forms, { body: [a, a] })).toThrow('no text for the field "more"');
    expect(() => describeBody(forms, { body: a })).toThrow(
      'texts for 1 forms of discriminatedUnion',
    );
  });
});
