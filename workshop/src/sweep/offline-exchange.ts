/** ccxt's exchanges without a network: a few markets in memory, and whatever they would send is written down. */
import type { Desk, DeskMarket } from './desks.js';

/** As ccxt hands it to its fetch, signature and all. */
export interface SentRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The part of ccxt's exchanges that is used here; its methods are called by name. */
export interface OfflineExchange {
  readonly api: object;
  readonly precisionMode: number;
  has: Readonly<Record<string, unknown>>;
  options: Record<string, unknown>;
  markets: Readonly<Record<string, object>>;
  fetch(url: string, method?: string, headers?: object, body?: string): Promise<unknown>;
  safeMarketStructure(market: object): object;
  setMarkets(markets: readonly object[], currencies: object): unknown;
  setSandboxMode?(enabled: boolean): void;
  close(): Promise<unknown>;
  sign(
    path: string,
    api: string | readonly string[],
    method: string,
    params: object,
  ): { url: string; method: string; body?: string; headers?: Record<string, string> };
}

/** The module `ccxt`. */
export type CcxtModule = Readonly<Record<string, new (config: object) => OfflineExchange>>;

/** More than any of ccxt's methods sends of its own accord, so that one that asks again and again comes to an end. */
const MOST_REQUESTS = 4;

/** ccxt's: precision is a step, otherwise a number of digits. */
const TICK_SIZE = 4;

const NETWORKS = { BTC: 'BTC', TRC20: 'TRX', ERC20: 'ETH' };

/** `sent`: where each request is written down. Each is answered by an empty object. */
export function openOffline(
  ccxt: CcxtModule,
  desk: Desk,
  sent: SentRequest[],
  options: object = {},
): OfflineExchange {
  const Exchange = ccxt[desk.ccxt];
  if (Exchange === undefined) throw new Error(`ccxt has no ${desk.ccxt}`);
  const exchange = new Exchange({ ...desk.credentials, enableRateLimit: false });
  Object.assign(exchange.options, desk.options, options);
  const markets = desk.markets.map((market) =>
    exchange.safeMarketStructure(marketStructure(market, exchange.precisionMode)),
  );
  exchange.setMarkets(markets, currencies(desk));
  Object.assign(exchange, {
    // ccxt's methods begin by it; some would load what a fixture has not
    loadMarkets: () => Promise.resolve(exchange.markets),
    loadTimeDifference: () => Promise.resolve(0),
    fetch: (url: string, method = 'GET', headers = {}, body = '') => {
      if (sent.length >= MOST_REQUESTS) return Promise.reject(new Error('enough'));
      sent.push({ url, method, headers, body });
      return Promise.resolve({});
    },
  });
  return exchange;
}

function marketStructure(market: DeskMarket, precisionMode: number): object {
  const { symbol, id, kind, settle } = market;
  const [base = '', quote = ''] = symbol.split(/[/:]/);
  const isContract = kind !== 'spot';
  const isInverse = isContract && settle === base;
  return {
    id,
    lowercaseId: id.toLowerCase(),
    symbol,
    base,
    quote,
    settle,
    baseId: market.baseId ?? base,
    quoteId: quote,
    settleId: market.settleId ?? settle,
    type: kind,
    spot: kind === 'spot',
    margin: kind === 'spot',
    swap: kind === 'swap',
    future: kind === 'future',
    option: kind === 'option',
    active: true,
    contract: isContract,
    ...(isContract && {
      linear: !isInverse,
      inverse: isInverse,
      subType: isInverse ? 'inverse' : 'linear',
      contractSize: 1,
    }),
    ...((kind === 'future' || kind === 'option') && { expiry: Date.UTC(2026, 11, 25, 8) }),
    ...(kind === 'option' && { strike: 50_000, optionType: 'call' }),
    precision:
      precisionMode === TICK_SIZE
        ? { amount: 0.0001, price: 0.1, cost: 0.01 }
        : { amount: 8, price: 5, cost: 8 },
    limits: { amount: { min: 0.0001 }, price: {}, cost: { min: 1 }, leverage: { max: 100 } },
    info: market.info ?? {},
  };
}

function currencies(desk: Desk): object {
  const codes = new Set(desk.markets.flatMap(({ symbol }) => symbol.split(/[/:-]/).slice(0, 2)));
  return Object.fromEntries(
    [...codes].map((code) => [code, currencyStructure(code, desk.currencyIds?.[code] ?? code)]),
  );
}

function currencyStructure(code: string, id: string): object {
  const networks = Object.entries(NETWORKS).map(([network, networkId]) => [
    network,
    { id: networkId, network, active: true, deposit: true, withdraw: true, fee: 0.0001, info: {} },
  ]);
  const made = { id, code, active: true, precision: 1e-8, fee: 0.0001, info: { type: 'crypto' } };
  return { ...made, networks: Object.fromEntries(networks) as object };
}
