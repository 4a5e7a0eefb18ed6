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

describe('a number of eight bytes', () => {
  const bytesOf = (value: number | bigint) => new ByteWriter().u64(value).bytes();

  it.each([0, 1, 2 ** 32 - 1, 2 ** 32, 2 ** 40 + 7, Number.MAX_SAFE_INTEGER])(
    '%d is the same bytes as a bigint, and is read back',
    (value) => {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(BigInt(value));
      expect(bytesOf(value)).toEqual(bytes);
      expect(bytesOf(BigInt(value))).toEqual(bytes);
      expect(new ByteReader(bytes).u64()).toBe(value);
    },
  );

  it.each([2n ** 53n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n])(
    '%d is no safe integer',
    (value) => {
      expect(() => new ByteReader(bytesOf(value)).u64()).toThrow('u64 out of safe range');
      expect(new ByteReader(bytesOf(value)).u64Big()).toBe(value);
    },
  );

  it.each([-1, 0.5, -1n, 2n ** 64n])('%d is not written', (value) => {
    expect(() => bytesOf(value)).toThrow(/out of range|cannot be converted/);
  });

  it('that is cut short is not read', () => {
    expect(() => new ByteReader(Buffer.alloc(7)).u64()).toThrow('truncated');
  });
});
