// A grid bot: buys a step below the market and sells a step above it, and follows the price. It knows ccxt alone; that a
// vault signs shows in the constructor of its exchange and nowhere else.

const GRID = 3;
const STEP = 0.001;

/**
 * Trades for `durationMs` and then cancels what is left. `size`: base of one order. Returns what it did; `failed` has the
 * messages of orders that the venue or the vault refused. A `report` of a run before goes on.
 */
export async function runGrid(
  exchange,
  { symbol, size, durationMs, pauseMs = 250, isStopped = () => false, report = newReport() },
) {
  await exchange.loadMarkets();
  const end = Date.now() + durationMs;
  while (Date.now() < end && !isStopped()) {
    await round(exchange, { symbol, size }, report);
    report.rounds += 1;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  for (const order of await exchange.fetchOpenOrders(symbol)) await cancel(exchange, order, report);
  return report;
}

function newReport() {
  return { rounds: 0, placed: 0, cancelled: 0, failed: [] };
}

/** Takes away what is too far from the market, and puts in what is missing near it. */
async function round(exchange, { symbol, size }, report) {
  const [{ last }, open, balance] = await Promise.all([
    exchange.fetchTicker(symbol),
    exchange.fetchOpenOrders(symbol),
    exchange.fetchBalance(),
  ]);
  const reach = last * STEP * (GRID + 2);
  const near = [];
  for (const order of open) {
    if (Math.abs(order.price - last) > reach) await cancel(exchange, order, report);
    else near.push(order);
  }
  const { base, quote, swap } = exchange.market(symbol);
  for (const { side, price } of wanted(exchange, symbol, last)) {
    if (near.some((order) => order.side === side && isClose(order.price, price, last))) continue;
    if (near.filter((order) => order.side === side).length >= GRID) continue;
    const asset = side === 'buy' ? quote : base;
    const needed = side === 'buy' ? price * size : size;
    if (!swap && (balance[asset]?.free ?? 0) < needed) continue;
    const order = await place(exchange, { symbol, side, size, price }, report);
    if (order !== undefined) near.push({ ...order, side, price });
  }
}

function wanted(exchange, symbol, last) {
  const prices = [];
  for (let level = 1; level <= GRID; level++) {
    for (const [side, sign] of [
      ['buy', -1],
      ['sell', 1],
    ]) {
      const price = Number(exchange.priceToPrecision(symbol, last * (1 + sign * STEP * level)));
      prices.push({ side, price });
    }
  }
  return prices;
}

function isClose(one, other, last) {
  return Math.abs(one - other) < (last * STEP) / 2;
}

async function place(exchange, { symbol, side, size, price }, report) {
  try {
    const order = await exchange.createOrder(symbol, 'limit', side, size, price);
    report.placed += 1;
    return order;
  } catch (error) {
    report.failed.push(`${error.constructor.name}: ${error.message}`);
    return undefined;
  }
}

/** An order that has been filled meanwhile is none to cancel: every bot hears that from its venue. */
async function cancel(exchange, { id, symbol }, report) {
  try {
    await exchange.cancelOrder(id, symbol);
    report.cancelled += 1;
  } catch (error) {
    const status = await exchange
      .fetchOrder(id, symbol, { acknowledged: true })
      .catch(() => undefined);
    if (status?.status !== 'closed')
      report.failed.push(`${error.constructor.name}: ${error.message}`);
  }
}
