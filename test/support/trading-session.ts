/** A trading day in short by ccxt's unified methods: the same at every venue, with or without a vault. */
import { expect } from '@jest/globals';

export interface TradingExchange {
  has: Record<string, unknown>;
  close(): Promise<unknown>;
  loadMarkets(): Promise<unknown>;
  fetchTicker(symbol: string): Promise<{ last: number }>;
  fetchBalance(
    params?: object,
  ): Promise<Record<string, { free?: number; used?: number; total?: number }>>;
  createOrder(
    symbol: string,
    type: string,
    side: string,
    amount: number,
    price?: number,
    params?: object,
  ): Promise<SeenOrder>;
  createOrders(orders: object[]): Promise<SeenOrder[]>;
  editOrder(
    id: string,
    symbol: string,
    type: string,
    side: string,
    amount: number,
    price?: number,
    params?: object,
  ): Promise<SeenOrder>;
  cancelOrder(id: string, symbol: string, params?: object): Promise<SeenOrder>;
  cancelOrders(ids: string[], symbol: string): Promise<SeenOrder[]>;
  cancelAllOrders(symbol: string): Promise<unknown>;
  fetchOrder(id: string, symbol: string, params?: object): Promise<SeenOrder>;
  fetchOpenOrders(
    symbol: string,
    since?: number,
    limit?: number,
    params?: object,
  ): Promise<SeenOrder[]>;
  fetchMyTrades(symbol: string): Promise<{ order: string }[]>;
  withdraw(
    code: string,
    amount: number,
    address: string,
    tag?: string,
    params?: object,
  ): Promise<{ id: string }>;
}

interface SeenOrder {
  readonly id: string;
  readonly status?: string;
  readonly amount?: number;
  readonly price?: number;
  readonly filled?: number;
}

interface StopOrder {
  readonly type: string;
  readonly trigger?: string;
  readonly listing: object;
}

export interface Session {
  /** An amendment that names the order alone tells no market that a rule could compare. */
  readonly amendment?: 'denied' | undefined;
  /** What ccxt wants to be told before it looks at a single order. */
  readonly looking?: object;
  readonly symbol: string;
  /** Whether the venue takes several orders in one request. */
  readonly batches?: boolean;
  readonly stop?: StopOrder | undefined;
  /** Of an order, in what ccxt counts there. */
  readonly size: number;
}

const SPREAD = 0.1;

/** A price far from the market's, on the venue's steps. */
function below(price: number): number {
  return Math.round(price * (1 - SPREAD));
}

/** Order, look, amend, cancel, market order, trades, stop, batch, cancel all, balance. */
export async function trade(exchange: TradingExchange, session: Session): Promise<void> {
  const { symbol, size } = session;
  await exchange.loadMarkets();
  const { last } = await exchange.fetchTicker(symbol);
  const low = below(last);
  const placed = await exchange.createOrder(symbol, 'limit', 'buy', size, low);
  const open = await exchange.fetchOpenOrders(symbol);
  expect(open.map(({ id, price, amount }) => [id, price, amount])).toEqual([
    [placed.id, low, size],
  ]);
  const amending = exchange.editOrder(placed.id, symbol, 'limit', 'buy', size, low - 10);
  if (session.amendment === 'denied') {
    await expect(amending).rejects.toMatchObject({ name: 'PermissionDenied' });
  } else {
    await amending;
  }
  const again = await exchange.fetchOpenOrders(symbol);
  expect(again.map(({ price }) => price)).toEqual([
    session.amendment === 'denied' ? low : low - 10,
  ]);
  await exchange.cancelOrder(again[0]!.id, symbol);
  expect(await exchange.fetchOpenOrders(symbol)).toEqual([]);
  const bought = await exchange.createOrder(symbol, 'limit', 'buy', size, Math.round(last * 1.02));
  const done = await exchange.fetchOrder(bought.id, symbol, session.looking);
  expect(done.filled).toBe(size);
  expect((await exchange.fetchMyTrades(symbol)).map(({ order }) => order)).toContain(bought.id);
  if (session.stop !== undefined) await stopAndCancel(exchange, session, session.stop, low);
  if (session.batches === true) await batch(exchange, session, low);
  await cancelAll(exchange, session, low);
  expect(await exchange.fetchOpenOrders(symbol)).toEqual([]);
}

async function cancelAll(
  exchange: TradingExchange,
  { symbol, size }: Session,
  low: number,
): Promise<void> {
  await exchange.createOrder(symbol, 'limit', 'buy', size, low);
  if (exchange.has['cancelAllOrders'] === true) {
    await exchange.cancelAllOrders(symbol);
  } else {
    const open = await exchange.fetchOpenOrders(symbol);
    const ids = open.map(({ id }) => id);
    await exchange.cancelOrders(ids, symbol);
  }
}

async function stopAndCancel(
  exchange: TradingExchange,
  { symbol, size }: Session,
  { type, trigger = 'triggerPrice', listing }: NonNullable<Session['stop']>,
  low: number,
): Promise<void> {
  const stated = { [trigger]: low };
  const stop = await exchange.createOrder(symbol, type, 'sell', size, low - 20, stated);
  const waiting = await exchange.fetchOpenOrders(symbol, undefined, undefined, listing);
  expect(waiting.map(({ id }) => id)).toContain(stop.id);
  await exchange.cancelOrder(stop.id, symbol, listing);
  expect(await exchange.fetchOpenOrders(symbol, undefined, undefined, listing)).toEqual([]);
}

async function batch(
  exchange: TradingExchange,
  { symbol, size }: Session,
  low: number,
): Promise<void> {
  const orders = await exchange.createOrders(
    [low, low - 10].map((price) => ({ symbol, type: 'limit', side: 'buy', amount: size, price })),
  );
  expect(new Set(orders.map(({ id }) => id)).size).toBe(2);
  expect(await exchange.fetchOpenOrders(symbol)).toHaveLength(2);
}
