/** An order at the simulated exchange, and what it comes to at a price. */
import { divide, multiply, roundDown } from './exact-decimal.js';
import type { Market } from './markets.js';

export type Side = 'buy' | 'sell';

export interface OrderTerms {
  readonly market: Market;
  readonly side: Side;
  /** Absent: at the market's price. */
  readonly price?: bigint | undefined;
  /** In base. With `cost` alone: what that buys at the price of the moment. */
  readonly size?: bigint | undefined;
  /** In quote: of a purchase at the market's price. */
  readonly cost?: bigint | undefined;
  /** It waits until the price has come there. */
  readonly stopPrice?: bigint | undefined;
  readonly isPostOnly?: boolean | undefined;
  /** What cannot be had at once is cancelled. */
  readonly isImmediate?: boolean | undefined;
  readonly isReduceOnly?: boolean | undefined;
  /** The caller's own name of it; one open order at most has it. */
  readonly clientId?: string | undefined;
}

export type OrderStatus = 'waiting' | 'open' | 'filled' | 'cancelled';

export interface Order {
  readonly id: string;
  readonly account: string;
  readonly terms: OrderTerms;
  readonly size: bigint;
  readonly status: OrderStatus;
  readonly filled: bigint;
  /** In quote, for what is filled. */
  readonly paid: bigint;
  /** Whether the stop price lies above the price at which the order came. */
  readonly triggersUpwards: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export function isLive({ status }: Order): boolean {
  return status === 'open' || status === 'waiting';
}

/** Base that the terms ask for at a price. */
export function sizeOf({ market, size, cost }: OrderTerms, price: bigint): bigint {
  if (size !== undefined) return size;
  return cost === undefined ? 0n : roundDown(divide(cost, price), market.sizeStep);
}

/** Whether a limit would be met at this price. */
export function crosses({ side, price: limit }: OrderTerms, price: bigint): boolean {
  if (limit === undefined) return true;
  return side === 'buy' ? price <= limit : price >= limit;
}

export function isTriggered({ terms, triggersUpwards }: Order, price: bigint): boolean {
  const { stopPrice } = terms;
  if (stopPrice === undefined) return true;
  return triggersUpwards ? price >= stopPrice : price <= stopPrice;
}

/** What a live order of a spot market keeps its account from spending otherwise. */
export function heldBy({ terms, size, filled }: Order, price: bigint): [asset: string, bigint] {
  const { market, side } = terms;
  const left = size - filled;
  if (side === 'sell') return [market.base, left];
  return [market.quote, multiply(left, terms.price ?? price)];
}
