/** What a desk does at each simulated venue, by ccxt's unified methods. */
import type { Session } from './trading-session.ts';

interface VenueSession extends Session {
  readonly venueId: string;
  /** ccxt's options. */
  readonly options?: object;
}

export const SESSIONS: Readonly<Record<string, VenueSession>> = {
  'Binance spot': {
    venueId: 'binance',
    symbol: 'BTC/USDT',
    size: 0.01,
    stop: { type: 'limit', listing: {} },
  },
  'Binance USD-M futures': {
    venueId: 'binance',
    options: { defaultType: 'swap' },
    symbol: 'BTC/USDT:USDT',
    size: 0.01,
    batches: true,
    stop: { type: 'limit', listing: { trigger: true } },
  },
  'Bybit spot': {
    venueId: 'bybit',
    symbol: 'BTC/USDT',
    size: 0.01,
    batches: true,
    stop: { type: 'limit', listing: { trigger: true } },
  },
  'OKX pairs': {
    venueId: 'okx',
    symbol: 'BTC/USDT',
    size: 0.01,
    batches: true,
    stop: { type: 'limit', listing: { trigger: true } },
  },
  Kraken: {
    venueId: 'kraken',
    symbol: 'BTC/USD',
    size: 0.01,
    batches: true,
    stop: { type: 'limit', trigger: 'stopLossPrice', listing: {} },
  },
  Deribit: {
    venueId: 'deribit',
    symbol: 'BTC/USDC:USDC',
    size: 0.01,
    stop: { type: 'limit', trigger: 'stopLossPrice', listing: {} },
  },
  'Coinbase Advanced': {
    venueId: 'coinbase_advanced',
    symbol: 'BTC/USD',
    size: 0.01,
    stop: { type: 'limit', listing: {} },
  },
};
