/** What a desk has at each venue, as ccxt's exchanges name it: markets of every type that ccxt signs for. */
import { generateKeyPairSync } from 'node:crypto';

export interface DeskMarket {
  /** ccxt's. */
  readonly symbol: string;
  /** The venue's. */
  readonly id: string;
  readonly kind: 'spot' | 'swap' | 'future' | 'option';
  readonly settle?: string;
  readonly baseId?: string;
  /** Its orders count contracts, as docs/reference/venues.md has it. */
  /** The venue's own name of what it settles in; as ccxt has it when absent. */
  readonly settleId?: string;
  readonly countsContracts?: boolean;
  /** The venue's own description, where ccxt looks at it. */
  readonly info?: object;
}

export interface Desk {
  /** ccxt's name of the exchange. */
  readonly ccxt: string;
  readonly venueId: string;
  readonly keyType: 'hmac' | 'ed25519';
  readonly credentials: object;
  readonly markets: readonly DeskMarket[];
  /** The venue's own names of currencies, by ccxt's. */
  readonly currencyIds?: Readonly<Record<string, string>>;
  /** ccxt's options: what it would otherwise ask the venue for first. */
  readonly options?: object;
  /** Of ccxt's params and options: accounts that ccxt sends other requests for. */
  readonly accounts?: readonly Readonly<Record<string, unknown>>[];
}

const WORD = 'countersign';
const WORDS = { apiKey: WORD, secret: WORD, password: WORD };
const BASE64 = { ...WORDS, secret: Buffer.from(WORD).toString('base64') };

function ed25519Seed(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return Buffer.from(privateKey.export({ format: 'jwk' }).d!, 'base64url').toString('base64');
}

const COUNTED = { countsContracts: true };

const IN_USDT = { ...COUNTED, settleId: 'usdt' };

const spot = (symbol: string, id: string, more: object = {}): DeskMarket => ({
  symbol,
  id,
  kind: 'spot',
  ...more,
});
const swap = (symbol: string, id: string, more: object = {}): DeskMarket => ({
  symbol,
  id,
  kind: 'swap',
  settle: symbol.split(':')[1]!,
  ...more,
});
const future = (symbol: string, id: string, more: object = {}): DeskMarket => ({
  ...swap(symbol, id, more),
  settle: symbol.split(/[:-]/)[1]!,
  kind: 'future',
});
const option = (symbol: string, id: string, more: object = {}): DeskMarket => ({
  ...swap(symbol, id, more),
  settle: symbol.split(/[:-]/)[1]!,
  kind: 'option',
});

const ORDER_TYPES = ['LIMIT', 'MARKET', 'LIMIT_MAKER', 'STOP', 'STOP_MARKET', 'TAKE_PROFIT'];
const MORE_TYPES = ['STOP_LOSS', 'STOP_LOSS_LIMIT', 'TAKE_PROFIT_LIMIT', 'TAKE_PROFIT_MARKET'];
const TYPED = { info: { orderTypes: [...ORDER_TYPES, ...MORE_TYPES, 'TRAILING_STOP_MARKET'] } };
const TYPED_COUNTED = { ...TYPED, ...COUNTED };

const BINANCE_MARKETS = [
  spot('BTC/USDT', 'BTCUSDT', TYPED),
  swap('BTC/USDT:USDT', 'BTCUSDT', TYPED),
  swap('BTC/USD:BTC', 'BTCUSD_PERP', TYPED_COUNTED),
  future('BTC/USD:BTC-261225', 'BTCUSD_261225', TYPED_COUNTED),
  option('BTC/USDT:USDT-261225-50000-C', 'BTC-261225-50000-C', TYPED_COUNTED),
];

export const DESKS: readonly Desk[] = [
  {
    ccxt: 'binance',
    venueId: 'binance',
    keyType: 'hmac',
    credentials: WORDS,
    markets: BINANCE_MARKETS,
    accounts: [{ portfolioMargin: true }, { marginMode: 'cross' }, { marginMode: 'isolated' }],
  },
  {
    ccxt: 'bybit',
    venueId: 'bybit',
    keyType: 'hmac',
    credentials: WORDS,
    markets: [
      spot('BTC/USDT', 'BTCUSDT'),
      swap('BTC/USDT:USDT', 'BTCUSDT'),
      swap('BTC/USD:BTC', 'BTCUSD'),
      option('BTC/USDC:USDC-261225-50000-C', 'BTC-25DEC26-50000-C'),
    ],
    options: { enableUnifiedMargin: false, enableUnifiedAccount: true, unifiedMarginStatus: 6 },
  },
  {
    ccxt: 'okx',
    venueId: 'okx',
    keyType: 'hmac',
    credentials: WORDS,
    markets: [
      spot('BTC/USDT', 'BTC-USDT'),
      swap('BTC/USDT:USDT', 'BTC-USDT-SWAP', COUNTED),
      swap('BTC/USD:BTC', 'BTC-USD-SWAP', COUNTED),
      future('BTC/USDT:USDT-261225', 'BTC-USDT-261225', COUNTED),
      option('BTC/USD:BTC-261225-50000-C', 'BTC-USD-261225-50000-C', COUNTED),
    ],
    accounts: [{ marginMode: 'cross' }, { marginMode: 'isolated' }],
  },
  {
    ccxt: 'kraken',
    venueId: 'kraken',
    keyType: 'hmac',
    credentials: BASE64,
    markets: [spot('BTC/USD', 'XXBTZUSD', { baseId: 'XXBT', info: { altname: 'XBTUSD' } })],
    currencyIds: { BTC: 'XXBT', USD: 'ZUSD' },
  },
  {
    ccxt: 'krakenfutures',
    venueId: 'kraken_futures',
    keyType: 'hmac',
    credentials: BASE64,
    markets: [
      swap('BTC/USD:USD', 'PF_XBTUSD'),
      swap('BTC/USD:BTC', 'PI_XBTUSD', COUNTED),
      future('BTC/USD:BTC-261225', 'FI_XBTUSD_261225', COUNTED),
    ],
  },
  {
    ccxt: 'coinbase',
    venueId: 'coinbase_advanced',
    keyType: 'ed25519',
    // ccxt makes an EdDSA token of a secret of 64 bytes
    credentials: { ...WORDS, secret: Buffer.alloc(64, 1).toString('base64') },
    markets: [
      spot('BTC/USD', 'BTC-USD'),
      swap('BTC/USDC:USDC', 'BTC-PERP-INTX'),
      future('BTC/USD:USD-261225', 'BIT-25DEC26-CDE'),
    ],
    currencyIds: {},
  },
  {
    ccxt: 'coinbaseexchange',
    venueId: 'coinbase_exchange',
    keyType: 'hmac',
    credentials: BASE64,
    markets: [spot('BTC/USD', 'BTC-USD')],
  },
  {
    ccxt: 'deribit',
    venueId: 'deribit',
    keyType: 'hmac',
    credentials: WORDS,
    markets: [
      spot('BTC/USDC', 'BTC_USDC'),
      swap('BTC/USDC:USDC', 'BTC_USDC-PERPETUAL'),
      swap('BTC/USD:BTC', 'BTC-PERPETUAL'),
      future('BTC/USD:BTC-261225', 'BTC-25DEC26'),
      option('BTC/USD:BTC-261225-50000-C', 'BTC-25DEC26-50000-C'),
    ],
  },
  {
    ccxt: 'bitfinex',
    venueId: 'bitfinex',
    keyType: 'hmac',
    credentials: WORDS,
    markets: [spot('BTC/USD', 'tBTCUSD'), swap('BTC/USDT:USDT', 'tBTCF0:USTF0')],
    currencyIds: { USDT: 'UST' },
  },
  {
    ccxt: 'gate',
    venueId: 'gate',
    keyType: 'hmac',
    credentials: WORDS,
    markets: [
      spot('BTC/USDT', 'BTC_USDT'),
      swap('BTC/USDT:USDT', 'BTC_USDT', IN_USDT),
      swap('BTC/USD:BTC', 'BTC_USD', { ...COUNTED, settleId: 'btc' }),
      future('BTC/USDT:USDT-261225', 'BTC_USDT_20261225', IN_USDT),
      option('BTC/USDT:USDT-261225-50000-C', 'BTC_USDT-20261225-50000-C', IN_USDT),
    ],
    options: { unifiedAccount: false },
    accounts: [{ marginMode: 'cross' }, { marginMode: 'isolated' }, { unifiedAccount: true }],
  },
  {
    ccxt: 'kucoin',
    venueId: 'kucoin',
    keyType: 'hmac',
    credentials: WORDS,
    markets: [
      spot('BTC/USDT', 'BTC-USDT'),
      swap('BTC/USDT:USDT', 'XBTUSDTM', { ...COUNTED, baseId: 'XBT' }),
      swap('BTC/USD:BTC', 'XBTUSDM', { ...COUNTED, baseId: 'XBT' }),
    ],
    accounts: [{ hf: false }, { hf: true }, { uta: true }, { marginMode: 'cross' }],
  },
  {
    ccxt: 'bitget',
    venueId: 'bitget',
    keyType: 'hmac',
    credentials: WORDS,
    markets: [
      spot('BTC/USDT', 'BTCUSDT'),
      swap('BTC/USDT:USDT', 'BTCUSDT'),
      swap('BTC/USD:BTC', 'BTCUSD'),
    ],
    options: { uta: false },
    accounts: [{ uta: true }, { marginMode: 'cross' }, { marginMode: 'isolated' }],
  },
  {
    ccxt: 'gemini',
    venueId: 'gemini',
    keyType: 'hmac',
    credentials: { ...WORDS, apiKey: 'account-countersign' },
    markets: [spot('BTC/USD', 'btcusd'), swap('BTC/GUSD:GUSD', 'btcgusdperp')],
  },
  {
    ccxt: 'backpack',
    venueId: 'backpack',
    keyType: 'ed25519',
    credentials: { ...WORDS, secret: ed25519Seed() },
    markets: [spot('BTC/USDC', 'BTC_USDC'), swap('BTC/USDC:USDC', 'BTC_USDC_PERP')],
  },
];
