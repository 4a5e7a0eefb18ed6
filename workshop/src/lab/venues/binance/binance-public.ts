/** What Binance tells everybody. */
import { formatDecimal } from '../../exchange/exact-decimal.js';
import type { Exchange } from '../../exchange/simulated-exchange.js';
import type { Market } from '../../exchange/markets.js';
import { symbolOf } from './binance-order-words.js';

export function exchangeInfo(markets: readonly Market[], now: number): object {
  return {
    timezone: 'UTC',
    serverTime: now,
    rateLimits: [],
    exchangeFilters: [],
    symbols: markets.map(symbolInfo),
  };
}

function symbolInfo(market: Market): object {
  const { base, quote, kind } = market;
  const isPerpetual = kind === 'perpetual';
  const spot = {
    orderTypes: ['LIMIT', 'LIMIT_MAKER', 'MARKET', 'STOP_LOSS', 'STOP_LOSS_LIMIT'],
    isSpotTradingAllowed: true,
    isMarginTradingAllowed: false,
    quoteOrderQtyMarketAllowed: true,
    permissions: ['SPOT'],
  };
  const perpetual = {
    pair: symbolOf(market),
    contractType: 'PERPETUAL',
    deliveryDate: 4_133_404_800_000,
    onboardDate: 1_569_398_400_000,
    marginAsset: quote,
    orderTypes: ['LIMIT', 'MARKET', 'STOP', 'STOP_MARKET'],
    timeInForce: ['GTC', 'IOC', 'FOK', 'GTX'],
  };
  return {
    symbol: symbolOf(market),
    status: 'TRADING',
    baseAsset: base,
    quoteAsset: quote,
    baseAssetPrecision: 8,
    quotePrecision: 8,
    pricePrecision: 1,
    quantityPrecision: 4,
    filters: [
      {
        filterType: 'PRICE_FILTER',
        minPrice: formatDecimal(market.priceStep),
        maxPrice: '1000000',
        tickSize: formatDecimal(market.priceStep),
      },
      {
        filterType: 'LOT_SIZE',
        minQty: formatDecimal(market.sizeStep),
        maxQty: '9000',
        stepSize: formatDecimal(market.sizeStep),
      },
      {
        filterType: 'NOTIONAL',
        minNotional: formatDecimal(market.minCost),
        notional: formatDecimal(market.minCost),
      },
    ],
    ...(isPerpetual ? perpetual : spot),
  };
}

export function ticker(exchange: Exchange, market: Market): object {
  const price = exchange.price(market);
  const text = formatDecimal(price);
  return {
    symbol: symbolOf(market),
    price: text,
    lastPrice: text,
    bidPrice: formatDecimal(price - market.priceStep),
    bidQty: '10',
    askPrice: formatDecimal(price + market.priceStep),
    askQty: '10',
    openPrice: text,
    highPrice: text,
    lowPrice: text,
    volume: '1000',
    quoteVolume: '1000',
    openTime: exchange.now() - 86_400_000,
    closeTime: exchange.now(),
  };
}
