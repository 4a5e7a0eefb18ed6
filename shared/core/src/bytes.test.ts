import { describe, expect, it } from '@jest/globals';
import { ByteReader, ByteWriter } from './bytes.js';

const textOf = (field: Uint8Array | string) =>
  new ByteReader(new ByteWriter().field(field).bytes()).text();

describe('a text', () => {
  it.each(['', 'text', 'größer 🔑 \u0000'])('%j is read back as it was written', (text) => {
    expect(textOf(text)).toBe(text);
  });

  it.each([
    ['a byte that begins nothing', [0xff]],
    ['a character cut short', [0x61, 0xe2, 0x82]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['half of a surrogate pair', [0xed, 0xa0, 0x80]],
  ])('with %s is refused', (_what, bytes) => {
    expect(() => textOf(Uint8Array.from(bytes))).toThrow('not UTF-8');
  });
});
