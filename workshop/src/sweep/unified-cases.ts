/** Every unified method of a ccxt exchange with plausible arguments: for each market, each account, each way of ordering. */
import type { Desk, DeskMarket } from './desks.js';
import type { OfflineExchange } from './offline-exchange.js';

export interface SweepCase {
  /** ccxt's name of the exchange. */
  readonly exchange: string;
  readonly method: string;
  /** What was said beside the market, e.g. `BTC/USDT limit buy {"postOnly":true}`. */
  readonly label: string;
  /** Names that the case put in itself, which ccxt may hand on as they are. */
  readonly said: readonly string[];
  readonly run: (exchange: OfflineExchange) => Promise<unknown>;
}

type Named = Readonly<Record<string, unknown>>;

const VERBS =
  /^(?:create|edit|cancel|fetch|set|add|reduce|borrow|repay|transfer|withdraw|close|redeem|enable|convert|modify|deposit|upgrade)/;
/** Of ccxt's own workings, or of no account. */
const NO_METHODS = /^(?:fetch|fetch2|fetchPaginated\w*|fetchRest\w*|fetchWeb\w*)$|Ws$/;

/** Of arguments that ccxt turns into a parameter of its own, which an exchange without such orders hands on. */
const ODD_NAMES = [
  'createMarketBuyOrderRequiresPrice',
  'reduceOnly',
  'takeProfit',
  'stopLoss',
  'clientOrderId',
  'clientOrderIds',
  'trailingTriggerPrice',
  'trailingAmount',
  'trailingPercent',
  'stopPrice',
];

const ADDRESSES: Readonly<Record<string, string>> = {
  BTC: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
  USDT: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
};
const ID = '6f1f7b2e-3c1d-4b7a-9a57-0d2f4c8e1b90';
const NUMBER_ID = '1234567890';
const SINCE = Date.UTC(2026, 9, 1);

/** How orders are made: beside a plain one. */
const ORDERS: readonly Named[] = [
  {},
  { postOnly: true },
  { timeInForce: 'IOC' },
  { timeInForce: 'FOK' },
  { clientOrderId: 'desk1' },
  { triggerPrice: 49_000 },
  { stopLossPrice: 48_000 },
  { takeProfitPrice: 52_000 },
  { stopLoss: { triggerPrice: 48_000 }, takeProfit: { triggerPrice: 52_000 } },
  { stopLoss: { triggerPrice: 48_000, price: 47_900 } },
  { trailingPercent: 1 },
  { trailingAmount: 100 },
  { reduceOnly: true },
  { hedged: true },
  { cost: 100 },
  { marginMode: 'isolated' },
  { leverage: 3 },
];

/** What the venues want to know of a withdrawal beside coin, amount and address. */
const WITHDRAWALS: readonly Named[] = [
  {},
  { network: 'BTC' },
  { network: 'BTC', fee: '0.0001' },
  { key: 'cold' },
  { targetWallet: 'cold' },
];

/** How orders are looked for and cancelled. */
const LOOKS: readonly Named[] = [
  {},
  { trigger: true },
  { clientOrderId: 'desk1' },
  { trailing: true },
  { until: SINCE + 86_400_000 },
];

const ACCOUNTS: readonly (readonly [string, string])[] = [
  ['spot', 'swap'],
  ['funding', 'spot'],
  ['spot', 'cross'],
];

/** The cases of one exchange. `exchange`: any instance, of which the methods are read. */
export function unifiedCases(desk: Desk, exchange: OfflineExchange): SweepCase[] {
  return methodsOf(exchange).flatMap((method) => casesOf(desk, exchange, method));
}

function methodsOf(exchange: OfflineExchange): string[] {
  const names = new Set<string>();
  for (let at: object | null = exchange; at !== null; at = Object.getPrototypeOf(at) as object) {
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  }
  const callable = exchange as unknown as Named;
  const isAsked = (name: string): boolean =>
    VERBS.test(name) &&
    // the same methods once more
    !name.includes('_') &&
    !NO_METHODS.test(name) &&
    typeof callable[name] === 'function' &&
    // whatever asks a venue is
    String(callable[name]).startsWith('async ') &&
    // a method of ccxt's base that the exchange has not only says so
    exchange.has[name] !== false;
  return [...names].filter(isAsked).toSorted();
}

function parametersOf(method: unknown): string[] {
  const [, list = ''] = /^[^(]*\(([\s\S]*?)\)\s*\{/.exec(String(method)) ?? [];
  return list
    .replaceAll(/=\s*(?:\{[^}]*\}|\[[^\]]*\]|[^,]*)/g, '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function casesOf(desk: Desk, exchange: OfflineExchange, method: string): SweepCase[] {
  const parameters = parametersOf((exchange as unknown as Named)[method]);
  const wanted = variants(desk, method, parameters);
  return wanted.map(({ market, stated, params }) => {
    const beside = Object.entries(stated).map(([name, value]) => `${name}=${String(value)}`);
    return {
      exchange: desk.ccxt,
      method,
      label: [market.symbol, ...beside, JSON.stringify(params)].join(' '),
      said: [...Object.keys(params), ...ODD_NAMES],
      run: (on) => {
        const values = { ...argumentValues(market, method), ...stated };
        const given = parameters.map((name) => (name === 'params' ? params : values[name]));
        const methods = on as unknown as Record<string, (...values: unknown[]) => Promise<unknown>>;
        return methods[method]!(...structuredClone(given));
      },
    };
  });
}

interface Variant {
  readonly market: DeskMarket;
  /** Arguments by name, in the place of the usual ones. */
  readonly stated: Named;
  readonly params: Named;
}

function variants(desk: Desk, method: string, parameters: readonly string[]): Variant[] {
  const isOrder = /^(?:create|edit)\w*Order/.test(method);
  const isLook = /^(?:fetch|cancel)\w*(?:Order|Trades|Position)/.test(method);
  const ways = isOrder ? ORDERS : isLook ? LOOKS : method === 'withdraw' ? WITHDRAWALS : [{}];
  const params = [...ways, ...(desk.accounts ?? [])];
  return desk.markets.flatMap((market) =>
    statements(parameters).flatMap((stated) =>
      params.map((said) => ({ market, stated, params: said })),
    ),
  );
}

/** What differs between cases: by the names of the method's arguments. */
function statements(parameters: readonly string[]): Named[] {
  let made: Named[] = [{}];
  const vary = (name: string, values: readonly unknown[]): void => {
    if (!parameters.includes(name)) return;
    made = made.flatMap((one) => values.map((value) => ({ ...one, [name]: value })));
  };
  if (parameters.includes('side')) {
    vary('type', ['limit', 'market']);
    vary('side', ['buy', 'sell']);
  }
  vary('marginMode', ['cross', 'isolated']);
  if (parameters.includes('fromAccount')) {
    made = made.flatMap((one) =>
      ACCOUNTS.map(([fromAccount, toAccount]) => ({ ...one, fromAccount, toAccount })),
    );
  }
  if (parameters.includes('since')) {
    const brief = { since: undefined, limit: undefined };
    made = [...made.map((one) => ({ ...one, ...brief })), ...made];
  }
  return made;
}

/** Arguments by name, but for those that depend on the market. */
const USUAL: Named = {
  type: 'limit',
  side: 'buy',
  price: 45_000,
  cost: 100,
  triggerPrice: 49_000,
  stopLossPrice: 48_000,
  takeProfitPrice: 52_000,
  takeProfit: 52_000,
  stopLoss: 48_000,
  trailingAmount: 100,
  trailingPercent: 1,
  trailingTriggerPrice: 49_000,
  duration: 600,
  id: ID,
  ids: [ID, '7f1f7b2e-3c1d-4b7a-9a57-0d2f4c8e1b91'],
  clientOrderId: 'desk1',
  clientOrderIds: ['desk1', 'desk2'],
  network: 'BTC',
  fromAccount: 'spot',
  toAccount: 'swap',
  marginMode: 'cross',
  marginType: 'cross',
  leverage: 3,
  hedged: true,
  timeout: 60_000,
  timeframe: '1h',
  since: SINCE,
  limit: 10,
  period: '1h',
  until: SINCE + 86_400_000,
  name: 'desk',
  accountId: ID,
  subaccount: 'desk',
  percentage: 50,
};

function argumentValues({ symbol, countsContracts }: DeskMarket, method: string): Named {
  const [base = 'BTC', quote = 'USDT'] = symbol.split(/[/:-]/);
  const amount = countsContracts === true ? 1 : 0.01;
  return {
    ...USUAL,
    symbol,
    symbols: [symbol],
    amount,
    size: amount,
    orders: ordersOf(symbol, amount, method),
    code: quote,
    codes: [quote],
    fromCode: base,
    toCode: quote,
    address: ADDRESSES[base] ?? ADDRESSES['BTC'],
  };
}

/** Two, as they are made, amended or cancelled. */
function ordersOf(symbol: string, amount: number, method: string): readonly object[] {
  if (method.startsWith('cancel')) return [ID, NUMBER_ID].map((id) => ({ id, symbol }));
  return [45_000, 44_000].map((price, at) => ({
    symbol,
    type: 'limit',
    side: 'buy',
    amount,
    price,
    ...(method.startsWith('edit') && { id: `${NUMBER_ID}${at}` }),
  }));
}
