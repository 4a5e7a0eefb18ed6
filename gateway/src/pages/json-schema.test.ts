import { expect, test } from '@jest/globals';
import * as s from '@countersign/core/shapes.js';
import { createSchemaCollector } from './json-schema.js';

const letter = s.words(['a', 'b']).meta({ id: 'Letter', description: 'A letter.' });
const LETTER = { $ref: '#/components/schemas/Letter' };

test('a named schema keeps its name and text where a place describes it anew', () => {
  const schemas = createSchemaCollector();
  const word = s.strictObject({
    first: letter,
    last: letter.describe('How it ends.').optional(),
    longest: letter.nullable().describe('Null: none.'),
  });
  expect(schemas.describe(word)['properties']).toEqual({
    first: LETTER,
    last: { ...LETTER, description: 'How it ends.' },
    longest: { anyOf: [LETTER, { type: 'null' }], description: 'Null: none.' },
  });
  expect(schemas.components()).toEqual({
    Letter: { type: 'string', enum: ['a', 'b'], description: 'A letter.' },
  });
});

test("a query's named schemas are components, and its texts those of the parameters", () => {
  const schemas = createSchemaCollector();
  const count = s.string().transform(Number).pipe(s.int().max(9));
  const query = s.strictObject({
    letter: letter.describe('Which one.').optional(),
    count: count.describe('How often.'),
    text: s.string(),
  });
  expect(schemas.queryFields(query)).toEqual([
    { name: 'letter', required: false, description: 'Which one.', schema: LETTER },
    {
      name: 'count',
      required: true,
      description: 'How often.',
      schema: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: 9 },
    },
    { name: 'text', required: true, schema: { type: 'string' } },
  ]);
  expect(schemas.components()).toHaveProperty('Letter');
});

test('two different schemas under one name are refused, in a query too', () => {
  const schemas = createSchemaCollector();
  schemas.describe(s.strictObject({ letter }));
  const other = s.words(['a']).meta({ id: 'Letter' });
  expect(() => schemas.describe(s.strictObject({ other }))).toThrow('two schemas are named Letter');
  expect(() => schemas.queryFields(s.strictObject({ other }))).toThrow('named Letter');
});
