/** The venues of the lab: which simulator, which markets, what kind of key, and what a desk there may trade. */
import { decimal } from '../exchange/exact-decimal.js';
import { createExchange } from '../exchange/simulated-exchange.js';
import {
  perpetualMarket,
  spotMarket,
  swingingPrice,
  type Market,
  type PriceFeed,
} from '../exchange/markets.js';
import { createBinance } from '../venues/binance/simulated-binance.js';
import { createBybit } from '../venues/bybit/simulated-bybit.js';
import { createCoinbase } from '../venues/coinbase/simulated-coinbase.js';
import { createDeribit } from '../venues/deribit/simulated-deribit.js';
import { createKraken } from '../venues/kraken/simulated-kraken.js';
import { createOkx } from '../venues/okx/simulated-okx.js';
import type { SimulatedVenue, VenueAccount, VenueOptions } from '../venues/simulated-venue.js';

export interface LabVenue {
  /** As the vault names it. */
  readonly id: string;
  /** As ccxt names it. */
  readonly ccxt: string;
  readonly create: (options: VenueOptions) => SimulatedVenue;
  readonly markets: readonly Market[];
  /**
   * `generated`: the customer makes an Ed25519 key and shows the venue its public half. Otherwise the venue hands out a
   * secret; `ed25519`: 64 bytes in base64, seed and public key.
   */
  readonly secret: 'generated' | 'text' | 'base64' | 'ed25519';
  readonly hasPassphrase?: boolean;
  /** ccxt's symbol that a bot trades, and its size of an order. */
  readonly symbol: string;
  /** The venue's own names of the markets, for rules. Empty where its signature covers no symbol. */
  readonly symbols: readonly string[];
  /** Of markets whose orders count contracts. */
  readonly contractSymbols?: readonly string[];
}

const USD = [spotMarket('BTC', 'USD'), spotMarket('ETH', 'USD')];
const USDC = [spotMarket('BTC', 'USDC'), perpetualMarket('BTC', 'USDC')];
const USDT = [spotMarket('BTC', 'USDT'), spotMarket('ETH', 'USDT'), perpetualMarket('BTC', 'USDT')];

export const LAB_VENUES: readonly LabVenue[] = [
  {
    id: 'binance',
    ccxt: 'binance',
    create: createBinance,
    markets: USDT,
    secret: 'generated',
    symbol: 'BTC/USDT',
    symbols: ['BTCUSDT'],
  },
  {
    id: 'bybit',
    ccxt: 'bybit',
    create: createBybit,
    markets: USDT,
    secret: 'text',
    symbol: 'BTC/USDT',
    symbols: ['BTCUSDT'],
  },
  {
    id: 'okx',
    ccxt: 'okx',
    create: createOkx,
    markets: USDT,
    secret: 'text',
    hasPassphrase: true,
    symbol: 'BTC/USDT',
    symbols: ['BTC-USDT'],
    contractSymbols: ['BTC-USDT-SWAP'],
  },
  {
    id: 'kraken',
    ccxt: 'kraken',
    create: createKraken,
    markets: USD,
    secret: 'base64',
    symbol: 'BTC/USD',
    symbols: ['XBTUSD', 'XXBTZUSD'],
  },
  {
    id: 'deribit',
    ccxt: 'deribit',
    create: createDeribit,
    markets: USDC,
    secret: 'text',
    symbol: 'BTC/USDC:USDC',
    symbols: ['BTC_USDC-PERPETUAL'],
  },
  {
    id: 'coinbase_advanced',
    ccxt: 'coinbase',
    create: createCoinbase,
    markets: USD,
    secret: 'ed25519',
    symbol: 'BTC/USD',
    symbols: [],
  },
];

export function findLabVenue(id: string): LabVenue {
  const found = LAB_VENUES.find((venue) => venue.id === id);
  if (found === undefined) throw new RangeError(`the lab has no venue ${id}`);
  return found;
}

/** What every account has at first. */
const DEPOSIT = { BTC: '5', ETH: '50', USDT: '200000', USD: '200000', USDC: '200000' };

/** A running simulator, its books empty. */
export function openLabVenue(
  { create, markets }: LabVenue,
  accounts: readonly VenueAccount[],
  { now = Date.now, prices = swingingPrice }: { now?: () => number; prices?: PriceFeed } = {},
): SimulatedVenue {
  const assets = new Set(markets.flatMap(({ base, quote }) => [base, quote]));
  const deposit = Object.fromEntries(
    Object.entries(DEPOSIT)
      .filter(([asset]) => assets.has(asset))
      .map(([asset, text]) => [asset, decimal(text)]),
  );
  return create({ exchange: createExchange({ markets, prices, now, deposit }), accounts });
}
