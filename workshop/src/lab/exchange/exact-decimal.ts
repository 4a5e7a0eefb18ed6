/** Decimal numbers as venues write them, exact, in units of 10^-8. */

const PLACES = 8;
const ONE = 10n ** BigInt(PLACES);

/** Undefined for anything but plain decimal digits with at most eight places that say something. */
export function parseDecimal(text: string): bigint | undefined {
  const match = /^(-?)(\d{1,20})(?:\.(\d*))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = ''] = match;
  if (/[1-9]/.test(fraction.slice(PLACES))) return undefined;
  const units = BigInt(whole + fraction.slice(0, PLACES).padEnd(PLACES, '0'));
  return sign === '-' ? -units : units;
}

/** Of a number of this program's own text; throws RangeError otherwise. */
export function decimal(text: string): bigint {
  const units = parseDecimal(text);
  if (units === undefined) throw new RangeError(`${text} is no decimal number`);
  return units;
}

/** Without zeros at its end: `0.01`. */
export function formatDecimal(units: bigint): string {
  const sign = units < 0n ? '-' : '';
  const digits = (units < 0n ? -units : units).toString().padStart(PLACES + 1, '0');
  const fraction = digits.slice(-PLACES).replace(/0+$/, '');
  return `${sign}${digits.slice(0, -PLACES)}${fraction === '' ? '' : `.${fraction}`}`;
}

export function multiply(one: bigint, other: bigint): bigint {
  return (one * other) / ONE;
}

export function divide(dividend: bigint, divisor: bigint): bigint {
  return (dividend * ONE) / divisor;
}

/** Down to a whole number of steps. */
export function roundDown(units: bigint, step: bigint): bigint {
  return units - (units % step);
}
