/** Finds one price from several for the same asset. */
import { compareDecimals, decimalUnits } from './decimal.js';

/**
 * The median, the higher of two: so nobody alone can push it below what some other says. Undefined when the highest is
 * more than so many basis points (hundredths of a percent) above the lowest. `said`: at least one, decimal prices.
 */
export function medianPrice<Said extends { readonly price: string }>(
  said: readonly Said[],
  maxSpreadBps: number,
): Said | undefined {
  const rising = said.toSorted((a, b) => compareDecimals(a.price, b.price));
  const [lowest, highest] = [rising[0]!, rising.at(-1)!];
  const isTooFar = liesApart(lowest.price, highest.price, maxSpreadBps);
  return isTooFar ? undefined : rising[Math.floor(rising.length / 2)]!;
}

const WHOLE_BPS = 10_000n;

function liesApart(lower: string, higher: string, maxSpreadBps: number): boolean {
  const low = decimalUnits(lower);
  return (decimalUnits(higher) - low) * WHOLE_BPS > low * BigInt(maxSpreadBps);
}
