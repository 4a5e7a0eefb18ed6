/** The facts in a Binance request that policy may look at, and those that the signature leaves open. */
import type { SizeUnit, VenueFacts } from './engine/venue-facts.js';
import { endpointName, type Endpoint, type NamedClass } from './engine/endpoint-table.js';
import { isGrave } from './engine/interchange.js';
import { UNDECIDABLE_FACTS, type Entry, type FactFields } from './engine/request-facts.js';

/** Fields are read by name at every endpoint, since the signature binds names and not the endpoint. */
export const BINANCE_FIELDS: FactFields = {
  symbols: [
    'symbol',
    'asset',
    'coin',
    'currency',
    'token',
    'pair',
    'underlying',
    'fromSymbol',
    'toSymbol',
    'isolatedSymbol',
    'fromAsset',
    'toAsset',
    'targetAsset',
    'baseAsset',
    'quoteAsset',
    'loanCoin',
    'collateralCoin',
    'baseToken',
    'faceToken',
  ],
  sides: ['side', 'workingSide', 'pendingSide'],
  amounts: [
    'quantity',
    'amount',
    'workingQuantity',
    'pendingQuantity',
    'newQty',
    'baseAmount',
    'fromAmount',
  ],
  quoteAmounts: ['quoteOrderQty'],
  amountsInOtherUnits: [
    'quoteAmount',
    'toAmount',
    'loanAmount',
    'collateralAmount',
    'repayAmount',
    'adjustmentAmount',
    'depositAmount',
    'baseTokenAmount',
  ],
  unitOf,
  hasUndecidableAmount,
  symbolPattern: /^[\p{Lu}\p{Lo}\p{N}._-]{1,64}$/u,
};

/** Coin-margined futures (`BTCUSD_PERP`) and options count contracts. */
function unitOf({ symbol, quantity }: Entry): SizeUnit | undefined {
  const isContract =
    typeof symbol === 'string' && (symbol.includes('USD_') || /-[CP]$/.test(symbol));
  if (!isContract) return 'amount';
  // any other amount of a contract counts its margin
  return quantity === undefined ? undefined : 'contracts';
}

/** Whether the entry asks for "all of it". */
function hasUndecidableAmount(entry: Entry): boolean {
  return ['closePosition', 'redeemAll', 'fullRepayment'].some((name) => isSet(entry[name]));
}

/** Whether it is anything but `false`: the venue may take other words for `true`. */
function isSet(flag: unknown): boolean {
  return flag !== undefined && JSON.stringify(flag).toLowerCase().replaceAll('"', '') !== 'false';
}

const ORDER_TYPES: readonly string[] = [
  'LIMIT',
  'LIMIT_MAKER',
  'MARKET',
  'STOP',
  'STOP_LOSS',
  'STOP_LOSS_LIMIT',
  'STOP_MARKET',
  'TAKE_PROFIT',
  'TAKE_PROFIT_LIMIT',
  'TAKE_PROFIT_MARKET',
  'TRAILING_STOP_MARKET',
];
/** Types of records, snapshots and position margin. */
const READ_TYPES = ['SPOT', 'FUTURES', 'BORROW', 'REPAY', 'ROLL_IN', 'ROLL_OUT', '1', '2'];
const OTHER_TYPES: ReadonlySet<string> = new Set([...ORDER_TYPES, ...READ_TYPES]);
const TRANSFER_HISTORY = /^(?:MAIN|FUNDING|UMFUTURE|CMFUTURE|OPTION)_[A-Z_]+$/;

/**
 * Whether a `type` may be that of an account to liquidate, which is the only parameter of a liquidation. The venue
 * names `MARGIN` and `ISOLATED`. Any other type counts too, unless it is known to be harmless: cut short, it may
 * become one of the two.
 */
export function mayNameAnAccount(type: unknown): boolean {
  const folded = String(type).toUpperCase();
  return !OTHER_TYPES.has(folded) && !TRANSFER_HISTORY.test(folded);
}

/**
 * The facts without those that the signature leaves open:
 * - A read or trade that counts as a movement of funds has the parameters of the endpoint that it names; they do not
 *   tell what moves at the other one.
 * - The venue signs query ‖ body without a boundary, so whoever holds the text may split it anywhere: `BTCUSDT_261225`
 *   with its end in the body is `BTCUSDT`, and `ETHFI` is `ETH`.
 */
export function boundFacts(
  facts: VenueFacts,
  classes: ReadonlyMap<string, NamedClass>,
): VenueFacts {
  const { operationClass } = facts;
  if (operationClass === 'unknown' || operationClass === 'session') return facts;
  const named = classes.get(facts.endpoint) ?? operationClass;
  if (isGrave(operationClass) && !isGrave(named)) return { ...facts, ...UNDECIDABLE_FACTS };
  return facts.symbols.some((symbol) => canBeCutToAnother(symbol, operationClass))
    ? {
        ...facts,
        symbols: [],
        undecidable: [...new Set([...facts.undecidable, 'symbols' as const])],
      }
    : facts;
}

/** Coins of most worth: a coin whose symbol begins with one of these is not told from it. */
const GREAT_COINS = [
  ...[
    'AAVE',
    'ADA',
    'AVAX',
    'BCH',
    'BNB',
    'BTC',
    'DAI',
    'DOGE',
    'DOT',
    'ETH',
    'HBAR',
    'LINK',
    'LTC',
    'NEAR',
  ],
  ...[
    'PAXG',
    'SOL',
    'SUI',
    'TON',
    'TRX',
    'UNI',
    'USDC',
    'USDT',
    'WBTC',
    'XLM',
    'XMR',
    'XRP',
    'ZEC',
  ],
];

/** Whether its first letters may be a symbol too: for a contract without its date, or a great coin that moves. */
function canBeCutToAnother(symbol: string, operationClass: NamedClass): boolean {
  if (operationClass === 'read') return false;
  if (/_\d/.test(symbol)) return true;
  const isCoin = isGrave(operationClass);
  return isCoin && GREAT_COINS.some((coin) => symbol !== coin && symbol.startsWith(coin));
}

/** The class of each row by its {@link endpointName}. */
export function classesByName(endpoints: readonly Endpoint[]): ReadonlyMap<string, NamedClass> {
  return new Map(endpoints.map((row) => [endpointName(row), row.operationClass]));
}
