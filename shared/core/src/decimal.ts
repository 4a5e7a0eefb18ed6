/** Amounts as decimal strings, compared exactly: never through a binary fraction. */

const DECIMAL = /^\d{1,40}(\.\d{1,40})?$/;
export const FRACTION_DIGITS = 40;

/** Unsigned, without exponent. */
export function isDecimal(text: string): boolean {
  return DECIMAL.test(text);
}

/** Negative, zero or positive. Throws RangeError unless both are decimal. */
export function compareDecimals(a: string, b: string): number {
  const [left, right] = [decimalUnits(a), decimalUnits(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** In units of 10⁻⁴⁰, exactly. Throws RangeError unless it is decimal. */
export function decimalUnits(text: string): bigint {
  if (!isDecimal(text)) throw new RangeError('not a decimal number');
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(FRACTION_DIGITS, '0'));
}
