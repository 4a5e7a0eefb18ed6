/** What is traded in the lab, and at what price. */
import { decimal, roundDown } from './exact-decimal.js';

export interface Market {
  /** `BTC/USDT`, a perpetual contract in USDT `BTC/USDT:USDT`. */
  readonly name: string;
  readonly kind: 'spot' | 'perpetual';
  readonly base: string;
  readonly quote: string;
  readonly priceStep: bigint;
  readonly sizeStep: bigint;
  /** Smallest cost of an order, in quote. */
  readonly minCost: bigint;
}

/** Price in quote at a moment, ms since the Unix epoch. */
export type PriceFeed = (market: Market, nowMs: number) => bigint;

const STEPS = { priceStep: decimal('0.1'), sizeStep: decimal('0.0001'), minCost: decimal('5') };

export function spotMarket(base: string, quote: string): Market {
  return { name: `${base}/${quote}`, kind: 'spot', base, quote, ...STEPS };
}

export function perpetualMarket(base: string, quote: string): Market {
  return { name: `${base}/${quote}:${quote}`, kind: 'perpetual', base, quote, ...STEPS };
}

const MIDDLE: Readonly<Record<string, number>> = { BTC: 50_000, ETH: 2_500 };
const WAVE_MS = 20_000;
const SWING = 0.004;

/** Up and down around the middle every 20 s, by 0.4 %: resting orders near it fill, and the same in every run. */
export const swingingPrice: PriceFeed = (market, nowMs) => {
  const middle = MIDDLE[market.base] ?? 100;
  const price = middle * (1 + SWING * Math.sin((2 * Math.PI * nowMs) / WAVE_MS));
  return roundDown(decimal(price.toFixed(8)), market.priceStep);
};
