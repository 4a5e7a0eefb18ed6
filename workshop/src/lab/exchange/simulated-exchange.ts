/**
 * A small exchange without a counterpart: whoever meets the price trades at it. It keeps balances, positions and
 * orders of each account; fees, margin and funding it has none. What it refuses is a value that each venue words
 * in its own way.
 */
import { multiply } from './exact-decimal.js';
import type { Market, PriceFeed } from './markets.js';
import {
  crosses,
  heldBy,
  isLive,
  isTriggered,
  sizeOf,
  type Order,
  type OrderTerms,
} from './orders.js';

export type Fault =
  | 'bad_size'
  | 'bad_price'
  | 'too_small'
  | 'not_enough_funds'
  | 'client_id_in_use'
  | 'would_take'
  | 'unknown_order'
  | 'order_not_live';

export interface Balance {
  readonly asset: string;
  readonly free: bigint;
  readonly held: bigint;
}

export interface Trade {
  readonly id: string;
  readonly account: string;
  readonly orderId: string;
  readonly market: Market;
  readonly side: 'buy' | 'sell';
  readonly price: bigint;
  readonly size: bigint;
  readonly at: number;
}

export interface Withdrawal {
  readonly id: string;
  readonly account: string;
  readonly asset: string;
  readonly amount: bigint;
  readonly address: string;
}

/** By the exchange's id or by the caller's own. */
export interface OrderName {
  readonly id?: string | undefined;
  readonly clientId?: string | undefined;
}

export interface Exchange {
  readonly markets: readonly Market[];
  now(): number;
  price(market: Market): bigint;
  place(account: string, terms: OrderTerms): Order | Fault;
  amend(account: string, name: OrderName, changes: Partial<OrderTerms>): Order | Fault;
  cancel(account: string, name: OrderName): Order | Fault;
  /** Every live order, of one market if it is named. */
  cancelAll(account: string, market?: Market): Order[];
  find(account: string, name: OrderName): Order | undefined;
  orders(account: string): Order[];
  trades(account: string): Trade[];
  balances(account: string): Balance[];
  /** Base of a perpetual market, negative when sold. */
  position(account: string, market: Market): bigint;
  withdraw(account: string, asset: string, amount: bigint, address: string): Withdrawal | Fault;
  withdrawals(account: string): Withdrawal[];
}

export interface ExchangeOptions {
  readonly markets: readonly Market[];
  readonly prices: PriceFeed;
  /** ms since the Unix epoch. */
  readonly now: () => number;
  /** What every account has at first, by asset. */
  readonly deposit: Readonly<Record<string, bigint>>;
}

export function isFault(value: unknown): value is Fault {
  return typeof value === 'string';
}

interface Book {
  readonly balances: Map<string, bigint>;
  readonly positions: Map<string, bigint>;
  readonly orders: Map<string, Order>;
  readonly trades: Trade[];
  readonly withdrawals: Withdrawal[];
}

// oxlint-disable-next-line eslint/max-lines-per-function -- short functions over one exchange's books
export function createExchange({ markets, prices, now, deposit }: ExchangeOptions): Exchange {
  const books = new Map<string, Book>();
  let lastId = 0;
  const nextId = (): string => String(1_000_000 + ++lastId);
  const price = (market: Market): bigint => prices(market, now());

  function bookOf(account: string): Book {
    let book = books.get(account);
    if (book === undefined) {
      book = {
        balances: new Map(Object.entries(deposit)),
        positions: new Map(),
        orders: new Map(),
        trades: [],
        withdrawals: [],
      };
      books.set(account, book);
    }
    settle(book);
    return book;
  }

  /** Orders that the price has come to since somebody last looked. */
  function settle(book: Book): void {
    for (const order of book.orders.values()) {
      if (!isLive(order)) continue;
      const at = price(order.terms.market);
      const woken = order.status === 'waiting' && isTriggered(order, at);
      const live: Order = woken ? { ...order, status: 'open', updatedAt: now() } : order;
      if (woken) book.orders.set(live.id, live);
      if (live.status === 'open' && crosses(live.terms, at)) {
        fill(book, live, woken ? at : (live.terms.price ?? at));
      }
    }
  }

  function fill(book: Book, order: Order, at: bigint): Order {
    const { market, side } = order.terms;
    const left = order.size - order.filled;
    const cost = multiply(left, at);
    const sign = side === 'buy' ? 1n : -1n;
    if (market.kind === 'spot') {
      add(book.balances, market.base, sign * left);
      add(book.balances, market.quote, -sign * cost);
    } else {
      add(book.positions, market.name, sign * left);
    }
    const filled: Order = {
      ...order,
      status: 'filled',
      filled: order.size,
      paid: order.paid + cost,
      updatedAt: now(),
    };
    book.orders.set(order.id, filled);
    const { id: orderId, account } = order;
    book.trades.push({
      id: nextId(),
      account,
      orderId,
      market,
      side,
      price: at,
      size: left,
      at: now(),
    });
    return filled;
  }

  function findIn(book: Book, { id, clientId }: OrderName): Order | undefined {
    if (id !== undefined && id !== '') return book.orders.get(id);
    const named = [...book.orders.values()].filter(({ terms }) => terms.clientId === clientId);
    return clientId === undefined ? undefined : named.at(-1);
  }

  function freeOf(book: Book, asset: string, besides?: string): bigint {
    let free = book.balances.get(asset) ?? 0n;
    for (const order of book.orders.values()) {
      if (!isLive(order) || order.terms.market.kind !== 'spot' || order.id === besides) continue;
      const [held, amount] = heldBy(order, price(order.terms.market));
      if (held === asset) free -= amount;
    }
    return free;
  }

  function faultOf(book: Book, order: Order): Fault | undefined {
    const { terms, size } = order;
    const { market, clientId } = terms;
    if (size <= 0n || size % market.sizeStep !== 0n) return 'bad_size';
    for (const stated of [terms.price, terms.stopPrice]) {
      if (stated !== undefined && (stated <= 0n || stated % market.priceStep !== 0n)) {
        return 'bad_price';
      }
    }
    const at = price(market);
    if (multiply(size, terms.price ?? at) < market.minCost) return 'too_small';
    const namesake = clientId === undefined ? undefined : findIn(book, { clientId });
    if (namesake !== undefined && isLive(namesake) && namesake.id !== order.id) {
      return 'client_id_in_use';
    }
    if (terms.isPostOnly === true && crosses(terms, at)) return 'would_take';
    const [asset, needed] = heldBy(order, at);
    const isShort = market.kind === 'spot' && freeOf(book, asset, order.id) < needed;
    return isShort ? 'not_enough_funds' : undefined;
  }

  /** A new order, or one whose terms are new: refused, filled at once, or resting. */
  function enter(book: Book, order: Order): Order | Fault {
    const fault = faultOf(book, order);
    if (fault !== undefined) return fault;
    book.orders.set(order.id, order);
    const at = price(order.terms.market);
    if (order.status === 'waiting') return order;
    if (crosses(order.terms, at)) return fill(book, order, at);
    return order.terms.isImmediate === true ? end(book, order) : order;
  }

  function end(book: Book, order: Order): Order {
    const ended: Order = { ...order, status: 'cancelled', updatedAt: now() };
    book.orders.set(order.id, ended);
    return ended;
  }

  return {
    markets,
    now,
    price,
    place(account, terms) {
      const at = price(terms.market);
      const order: Order = {
        id: nextId(),
        account,
        terms,
        size: sizeOf(terms, at),
        status: terms.stopPrice === undefined ? 'open' : 'waiting',
        filled: 0n,
        paid: 0n,
        triggersUpwards: terms.stopPrice !== undefined && terms.stopPrice > at,
        createdAt: now(),
        updatedAt: now(),
      };
      return enter(bookOf(account), order);
    },
    amend(account, name, changes) {
      const book = bookOf(account);
      const order = findIn(book, name);
      if (order === undefined) return 'unknown_order';
      if (!isLive(order)) return 'order_not_live';
      const terms = { ...order.terms, ...changes };
      return enter(book, { ...order, terms, size: changes.size ?? order.size, updatedAt: now() });
    },
    cancel(account, name) {
      const book = bookOf(account);
      const order = findIn(book, name);
      if (order === undefined) return 'unknown_order';
      return isLive(order) ? end(book, order) : 'order_not_live';
    },
    cancelAll(account, market) {
      const book = bookOf(account);
      const live = [...book.orders.values()].filter(
        (order) => isLive(order) && (market === undefined || order.terms.market === market),
      );
      return live.map((order) => end(book, order));
    },
    find: (account, name) => findIn(bookOf(account), name),
    orders: (account) => [...bookOf(account).orders.values()],
    trades: (account) => bookOf(account).trades,
    balances(account) {
      const book = bookOf(account);
      return [...book.balances].map(([asset, total]) => {
        const free = freeOf(book, asset);
        return { asset, free, held: total - free };
      });
    },
    position: (account, market) => bookOf(account).positions.get(market.name) ?? 0n,
    withdraw(account, asset, amount, address) {
      const book = bookOf(account);
      if (amount <= 0n) return 'bad_size';
      if (freeOf(book, asset) < amount) return 'not_enough_funds';
      add(book.balances, asset, -amount);
      const withdrawal = { id: nextId(), account, asset, amount, address };
      book.withdrawals.push(withdrawal);
      return withdrawal;
    },
    withdrawals: (account) => bookOf(account).withdrawals,
  };
}

function add(amounts: Map<string, bigint>, name: string, amount: bigint): void {
  amounts.set(name, (amounts.get(name) ?? 0n) + amount);
}
