import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareDecimals, isDecimal } from './decimal.js';
import { multiplyDecimals } from './decimal-arithmetic.js';

const DIGITS = 30;

/** A number as an exact count of 10^-30, and one of the ways to write it. */
const written = fc
  .tuple(
    fc.bigInt({ min: 0n, max: 10n ** 50n }),
    fc.nat({ max: 5 }),
    fc.nat({ max: 8 }),
    fc.boolean(),
  )
  .map(([units, leadingZeros, trailingZeros, isTrimmed]) => {
    const digits = units.toString().padStart(DIGITS + 1, '0');
    const whole = digits.slice(0, -DIGITS);
    const fraction = digits.slice(-DIGITS);
    const tail = isTrimmed ? fraction.replace(/0+$/, '') : fraction + '0'.repeat(trailingZeros);
    return { units, text: '0'.repeat(leadingZeros) + whole + (tail === '' ? '' : `.${tail}`) };
  });

describe('compareDecimals', () => {
  it('orders numbers as their exact values do, however they are written', () => {
    fc.assert(
      fc.property(written, written, (a, b) => {
        const expected = a.units < b.units ? -1 : a.units > b.units ? 1 : 0;
        expect(Math.sign(compareDecimals(a.text, b.text))).toBe(expected);
        expect(compareDecimals(a.text, a.text)).toBe(0);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['0.1', '0.10', 0],
    ['1', '1.0', 0],
    ['007', '7', 0],
    ['0', '0.0', 0],
    ['9', '10', -1],
    ['0.3', '0.30000000000000000000000000000000000001', -1],
    // the same number in binary fractions
    ['9007199254740993', '9007199254740992', 1],
    ['0.1000000000000000055511151231257827', '0.1', 1],
    [`${'9'.repeat(40)}`, `${'9'.repeat(39)}8.${'9'.repeat(40)}`, 1],
  ])('%s against %s', (a, b, expected) => {
    expect(Math.sign(compareDecimals(a, b))).toBe(expected);
    expect(compareDecimals(b, a) + compareDecimals(a, b)).toBe(0);
  });
});

it.each([
  '',
  ' ',
  '.5',
  '5.',
  '-1',
  '+1',
  '1e3',
  '0x10',
  '1,5',
  '1 000',
  '1_000',
  '1\n',
  '\n1',
  'NaN',
  'Infinity',
  '1.2.3',
  '١',
  '１',
  '1'.repeat(41),
  `0.${'1'.repeat(41)}`,
])('%j is no decimal number, and is never compared', (text) => {
  expect(isDecimal(text)).toBe(false);
  expect(() => compareDecimals(text, '1')).toThrow(RangeError);
  expect(() => compareDecimals('1', text)).toThrow(RangeError);
});

it.each(['0', '1', '00', '1.50', '1'.repeat(40), `1.${'0'.repeat(40)}`])('%s is one', (text) => {
  expect(isDecimal(text)).toBe(true);
});

describe('multiplyDecimals', () => {
  it.each([
    ['0.5', '100000', '50000'],
    ['0.1', '0.2', '0.02'],
    ['3', '0', '0'],
    ['9007199254740993', '3', '27021597764222979'],
    // what does not fit is rounded up, never down
    [`0.${'0'.repeat(39)}1`, '0.1', `0.${'0'.repeat(39)}1`],
    ['0.3333333333333333333333333333333333333333', '1.5', '0.5'],
  ])('%s times %s is %s', (a, b, product) => {
    expect(multiplyDecimals(a, b)).toBe(product);
    expect(multiplyDecimals(b, a)).toBe(product);
  });

  it('is never below the exact product, and above it by less than its last digit', () => {
    const small = fc.bigInt({ min: 0n, max: 10n ** 24n });
    fc.assert(
      fc.property(small, small, (a, b) => {
        const text = (units: bigint) => `0.${units.toString().padStart(24, '0')}`;
        const [left, right] = [a % 10n ** 24n, b % 10n ** 24n];
        const [whole, fraction = ''] = multiplyDecimals(text(left), text(right)).split('.');
        const units = BigInt(whole + fraction.padEnd(48, '0'));
        const exact = left * right;
        expect(units >= exact && units - exact < 10n ** 8n).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('refuses what is too large to be written', () => {
    expect(() => multiplyDecimals('9'.repeat(40), '2')).toThrow(RangeError);
  });
});
