/** Sums and products of decimal strings, exact. */
import { decimalUnits, FRACTION_DIGITS, isDecimal } from './decimal.js';

const ONE = 10n ** BigInt(FRACTION_DIGITS);

/** The sum as a decimal string. Throws RangeError unless all are decimal, and for a sum that is not. */
export function sumDecimals(values: readonly string[]): string {
  return decimalOf(values.reduce((sum, value) => sum + decimalUnits(value), 0n));
}

/**
 * The product as a decimal string, exact up to its 40th digit after the point and rounded up there. So an amount with
 * an upper bound is never taken for less than it is. Throws RangeError unless both are decimal, and for a product that
 * is not.
 */
export function multiplyDecimals(a: string, b: string): string {
  const product = decimalUnits(a) * decimalUnits(b);
  return decimalOf((product + ONE - 1n) / ONE);
}

/** Of units of 10⁻⁴⁰. Throws RangeError for what is no unsigned decimal. */
export function decimalOf(units: bigint): string {
  const digits = units.toString().padStart(FRACTION_DIGITS + 1, '0');
  const fraction = digits.slice(-FRACTION_DIGITS).replace(/0+$/, '');
  const whole = digits.slice(0, -FRACTION_DIGITS);
  const text = fraction === '' ? whole : `${whole}.${fraction}`;
  if (!isDecimal(text)) throw new RangeError('not a decimal number');
  return text;
}
