import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeKeyProgress, encodeKeyProgress, keyProgressKey } from './key-progress.js';

describe('the progress of a key generation', () => {
  it('is read back as it was written', () => {
    const count = fc.nat({ max: 999_999_999 });
    fc.assert(
      fc.property(count, count, (tried, expected) => {
        expect(decodeKeyProgress(encodeKeyProgress({ tried, expected }))).toEqual({
          tried,
          expected,
        });
      }),
    );
  });

  it.each([
    '',
    '/',
    '1/',
    '/1',
    '1/2/3',
    '1.5/2',
    '-1/2',
    '+1/2',
    '1e3/2',
    ' 1/2',
    '1/2\n',
    '1/2 ',
    '0x1/2',
    '١/٢',
    '1234567890/1',
    '1/1234567890',
    'NaN/Infinity',
    '{"tried":1}',
  ])('is unknown when somebody wrote %j', (text) => {
    expect(decodeKeyProgress(text)).toBeUndefined();
  });

  it('never becomes anything but two counts, whatever stands in Redis', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), (text) => {
        const progress = decodeKeyProgress(text);
        if (progress === undefined) return;
        expect(Number.isSafeInteger(progress.tried) && progress.tried >= 0).toBe(true);
        expect(Number.isSafeInteger(progress.expected) && progress.expected >= 0).toBe(true);
      }),
    );
  });

  it('is kept by key', () => {
    expect(keyProgressKey('a')).not.toBe(keyProgressKey('b'));
  });
});
