/** What several sources say, as one price of each asset. Pure. */
import { medianPrice } from '@countersign/core/median-price.js';

/** What one source says: by asset, in USD. */
export type SaidPrices = ReadonlyMap<string, string>;

export interface AgreedPrices {
  readonly prices: ReadonlyMap<string, string>;
  /** Assets that the sources do not agree on, or of which too few speak: they have no price. */
  readonly left: readonly { readonly asset: string; readonly reason: 'too few' | 'diverging' }[];
}

/** The median of each asset, where enough sources speak of it and none is too far from the others. */
export function agreedPrices(
  said: readonly SaidPrices[],
  { needed, maxSpreadBps }: { readonly needed: number; readonly maxSpreadBps: number },
): AgreedPrices {
  const assets = [...new Set(said.flatMap((prices) => [...prices.keys()]))];
  const prices = new Map<string, string>();
  const left: AgreedPrices['left'][number][] = [];
  for (const asset of assets) {
    const values = said.flatMap((one) => one.get(asset) ?? []).map((price) => ({ price }));
    const median = values.length < needed ? undefined : medianPrice(values, maxSpreadBps);
    if (median !== undefined) prices.set(asset, median.price);
    else left.push({ asset, reason: values.length < needed ? 'too few' : 'diverging' });
  }
  return { prices, left };
}
