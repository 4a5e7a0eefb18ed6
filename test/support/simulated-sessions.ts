/** What a desk does at each simulated venue, by ccxt's unified methods. */
import type { Session } from './trading-session.ts';

interface VenueSession extends Session {
  readonly venueId: string;
  /** ccxt's options. */
  readonly options?: object;
  /** What becomes of an amendment under the documented rules. */
  readonly amendmentUnderRules?: 'denied';
  /** What a withdrawal needs beside asset, amount and address. */
  readonly withdrawal: object;
}

export const SESSIONS: Readonly<Record<string, VenueSession>> = {
  'Binance spot': {
    venueId: 'binance',
    withdrawal: { network: 'BTC' },
    symbol: 'BTC/USDT',
    size: 0.01,
    stop: { type: 'limit', listing: {} },
  },
  'Binance USD-M futures': {
    venueId: 'binance',
    withdrawal: { network: 'BTC' },
    options: { defaultType: 'swap' },
    symbol: 'BTC/USDT:USDT',
    size: 0.01,
    batches: true,
    stop: { type: 'limit', listing: { trigger: true } },
  },
  'Bybit spot': {
    venueId: 'bybit',
    withdrawal: { network: 'BTC' },
    looking: { acknowledged: true },
    symbol: 'BTC/USDT',
    size: 0.01,
    batches: true,
    stop: { type: 'limit', listing: { trigger: true } },
  },
  'OKX pairs': {
    venueId: 'okx',
    withdrawal: { network: 'BTC', fee: '0' },
    symbol: 'BTC/USDT',
    size: 0.01,
    batches: true,
    stop: { type: 'limit', listing: { trigger: true } },
  },
  Kraken: {
    venueId: 'kraken',
    withdrawal: { key: 'cold' },
    amendmentUnderRules: 'denied',
    symbol: 'BTC/USD',
    size: 0.01,
    batches: true,
    stop: { type: 'limit', trigger: 'stopLossPrice', listing: {} },
  },
  Deribit: {
    venueId: 'deribit',
    withdrawal: {},
    amendmentUnderRules: 'denied',
    symbol: 'BTC/USDC:USDC',
    size: 0.01,
    stop: { type: 'limit', trigger: 'stopLossPrice', listing: {} },
  },
  'Coinbase Advanced': {
    venueId: 'coinbase_advanced',
    withdrawal: {},
    symbol: 'BTC/USD',
    size: 0.01,
    stop: { type: 'limit', listing: {} },
  },
};
