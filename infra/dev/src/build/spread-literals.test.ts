import { describe, expect, it } from '@jest/globals';
import { runInNewContext } from 'node:vm';
import { beginEmpty as beginEmptyIn } from './spread-literals.js';

const beginEmpty = (code: string) => beginEmptyIn('chunk.js', code);

describe('a literal that begins with a spread', () => {
  it.each([
    ['f({ ...a, b })', 'f({...null, ...a, b })'],
    [
      'f({ ...a, ...{ ...b, c: { ...d, e } } })',
      'f({...null, ...a, ...{...null, ...b, c: {...null, ...d, e } } })',
    ],
    [
      'f("{ ...a, b }", `é${{ ...a, b: "€" }}😀`, { ...c, d })',
      'f("{ ...a, b }", `é${{...null, ...a, b: "€" }}😀`, {...null, ...c, d })',
    ],
  ])('begins empty: %s', (code, expected) => expect(beginEmpty(code)).toBe(expected));

  it.each([
    'f({ ...a })',
    'f({ b, ...a })',
    'f([...a, b])',
    'const { b, ...a } = c',
    'f(...a, b)',
    '({ ...a } = b)',
  ])('is nothing else: %s', (code) => expect(beginEmpty(code)).toBe(code));

  it('comes to the same object', () => {
    const code = '({ ...row, more: 1, name: "own", ...none })';
    const make = (text: string) =>
      runInNewContext(text, { row: { name: 'row', id: 7 }, none: undefined }) as object;
    expect(make(beginEmpty(code))).toEqual(make(code));
    expect(Object.keys(make(beginEmpty(code)))).toEqual(['name', 'id', 'more']);
  });

  it('is found in CommonJS that is not strict', () =>
    expect(beginEmptyIn('chunk.cjs', 'with (a) f({ ...b, c })')).toBe(
      'with (a) f({...null, ...b, c })',
    ));

  it('of a chunk that cannot be read is an error', () =>
    expect(() => beginEmpty('f({ ...a, ')).toThrow('cannot be read'));
});
