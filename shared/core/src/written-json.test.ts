import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isRefusal } from './errors.js';
import { parseStrictJson } from './strict-json.js';
import { isWrittenAlike, JsonNumber, writtenText, parseWrittenJson } from './written-json.js';

const parse = (text: string) => parseWrittenJson(Buffer.from(text));
const valueOf = (text: string) => (parse(text) as { value: unknown }).value;

describe('JSON with its numbers as written', () => {
  it('is the same value otherwise, whatever the spacing', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        fc.pre(!text.includes('__proto__'));
        expect(JSON.parse(JSON.stringify(valueOf(text)))).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  it('is refused where strict JSON is, in the same words', () => {
    const parts = fc.constantFrom(...Array.from('{}[]",:\\\n 01-.eE'), 'true', '"a"', '"a":1');
    fc.assert(
      fc.property(fc.array(parts), (some) => {
        const bytes = Buffer.from(some.join(''));
        const strict = parseStrictJson(bytes);
        const written = parseWrittenJson(bytes);
        if (isRefusal(strict)) expect(written).toEqual(strict);
        else expect(JSON.stringify(written)).toBe(JSON.stringify(strict));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    '0.010000000000000000001',
    '0.01',
    '0.010',
    '1e-7',
    '1E+5',
    '-0',
    '123456789012345678901234567890.5',
    '1e999',
  ])('keeps %s to the digit, wherever it stands', (number) => {
    const written = new JsonNumber(number);
    expect(valueOf(number)).toEqual(written);
    expect(valueOf(`[${number}]`)).toEqual([written]);
    expect(valueOf(` { "a" : ${number} , "b":[1,{"c":${number}}]\n}`)).toEqual({
      a: written,
      b: [new JsonNumber('1'), { c: written }],
    });
    expect(valueOf(`{"a":"${number}"}`)).toEqual({ a: number });
  });

  it('tells numbers apart that are one binary fraction', () => {
    const [one, other] = ['0.01', '0.010000000000000000001'].map((text) => new JsonNumber(text));
    expect(Number(one)).toBe(Number(other));
    expect(isWrittenAlike(one, other)).toBe(false);
    expect(isWrittenAlike(one, new JsonNumber('0.01'))).toBe(true);
    expect(isWrittenAlike(one, '0.01')).toBe(false);
  });

  it('has text for texts and numbers alone', () => {
    expect(['a', new JsonNumber('1'), true, null, undefined, {}, ['a']].map(writtenText)).toEqual([
      'a',
      '1',
      ...Array<undefined>(5).fill(undefined),
    ]);
  });
});
