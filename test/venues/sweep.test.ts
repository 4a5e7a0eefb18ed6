/**
 * What bots on ccxt would send, and what the vault makes of it: a slice of the sweep (`node workshop/dist/sweep/sweep.js` is all of it), and
 * single requests as other libraries make them.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { DESKS } from '../../workshop/src/sweep/desks.js';
import { judgeRequest, stateWith } from '../../workshop/src/sweep/judge-request.js';
import type { CcxtModule } from '../../workshop/src/sweep/offline-exchange.js';
import { runSweep, type Swept, type SweptRequest } from '../../workshop/src/sweep/run-sweep.js';
import type { SweepCase } from '../../workshop/src/sweep/unified-cases.js';
import { tooLow } from '../../workshop/src/sweep/too-low.js';
import type { VenueRequest } from '@countersign/venues/engine/venue.js';
import { ccxtClass, loadCcxt } from '../support/ccxt-signing.ts';

/** One case of so many, the same ones in every run (`SWEEP_SEED` names others); and all that withdraw or transfer. */
const SLICE = 80;
const seed = Number(process.env['SWEEP_SEED'] ?? 0);

/** They say a grave word, and only look, or take an order or a question back. */
const HARMLESS = [
  /^binance POST \/sapi\/v1\/loan\/vip\/renew$/,
  /^bybit POST \/v5\/crypto-loan-common\/max-loan$/,
  /^bybit POST \/v5\/crypto-loan-fixed\/(?:borrow|supply)-order-cancel$/,
  /^okx POST \/api\/v5\/finance\/flexible-loan\/max-loan$/,
  // the profit of a trading bot goes back to the account that it trades for
  /^okx POST \/api\/v5\/tradingBot\/grid\/withdraw-income$/,
  /^kraken POST \/0\/private\/(?:Withdraw(?:Methods|Addresses|Info|Status)|Deposit(?:Methods|Addresses))$/,
  /^deribit GET \/api\/v2\/private\/get_/,
  /^bitfinex POST \/v2\/auth\/r\//,
  /^bitget POST \/api\/v2\/margin\/(?:crossed|isolated)\/account\/query-flash-repay-status$/,
  /^gemini POST \/v1\/order\/cancel$/,
  /^gemini POST \/v[12]\/(?:transfers|withdraw\/[\w/]+\/feeEstimate)$/,
  // of a position, within its account
  /^kucoin POST \/api\/v1\/margin\/withdrawMargin$/,
];

const place = ({ venueId, request }: SweptRequest) =>
  `${venueId} ${request.method} ${request.path}`;

describe(`one of ${SLICE} cases (SWEEP_SEED=${seed})`, () => {
  let swept: Swept;
  beforeAll(async () => {
    const names = DESKS.map(({ ccxt }) => ccxt);
    await loadCcxt(...names);
    const ccxt = Object.fromEntries(names.map((name) => [name, ccxtClass(name)]));
    const isWanted = ({ method, label }: SweepCase, at: number): boolean =>
      at % SLICE === seed % SLICE || /withdraw|transfer/i.test(`${method} ${label}`);
    swept = await runSweep(ccxt as unknown as CcxtModule, DESKS, isWanted);
  }, 60_000);

  it('meets every venue, and most of what is no order is signed', () => {
    expect(new Set(swept.requests.map(({ venueId }) => venueId)).size).toBe(DESKS.length);
    expect(swept.requests.length).toBeGreaterThan(150);
  });

  it('nothing is less than its name says', () => {
    const low = tooLow(swept.requests).map(place);
    expect(low.filter((name) => !HARMLESS.some((known) => known.test(name)))).toEqual([]);
  });

  it('a request that is not signed has its reason', () => {
    const silent = swept.requests.filter(({ isSigned, refusal }) => !isSigned && !refusal?.text);
    expect(silent).toEqual([]);
  });
});

const request = (line: string, content: object | string = ''): VenueRequest => {
  const [method = '', path = ''] = line.split(' ');
  const isQuery = typeof content === 'string';
  const body = isQuery ? '' : JSON.stringify(content);
  return { method, path, query: isQuery ? content : '', body, channel: 'rest' };
};

const spot = {
  symbols: ['BTCUSDT', 'BTC-USDT', 'BTC_USDT', 'BTC-USD', 'XBTUSD'],
  amount: { max: '0.01' },
};
/** As a rule has them; the requests below have them in the other case. */
const IN_OTHER_CASE = ['btcusd', 'PF_XBTUSD'];
const state = stateWith([
  { operationClasses: ['read', 'cancel'] },
  { operationClasses: ['trade'], ...spot, quoteAmount: { max: '1000' } },
  { operationClasses: ['trade'], symbols: IN_OTHER_CASE, amount: { max: '0.01' } },
  { operationClasses: ['trade'], symbols: ['BTC-USDT-SWAP', 'BTC_USD'], contracts: { max: '10' } },
]);
const signed = (venueId: string, sent: VenueRequest) => judgeRequest(state, venueId, sent, 'hmac');

/** Whatever is not set. */
const emptyTexts = (names: string) =>
  Object.fromEntries(names.split(' ').map((name) => [name, '']));
const OKX_EMPTY = emptyTexts(
  'ccy clOrdId tag posSide px reduceOnly tgtCcy tpTriggerPx tpOrdPx slTriggerPx slOrdPx tpTriggerPxType slTriggerPxType quickMgnType stpId stpMode',
);
const OKX_UNAMENDED = emptyTexts(
  'cxlOnFailc clOrdId reqId newPx newTpTriggerPx newTpOrdPx newSlTriggerPx newSlOrdPx newTpTriggerPxType newSlTriggerPxType attachAlgoOrds newTpTriggerRatio newSlTriggerRatio newTriggerPx newOrdPx',
);
const OKX_ORDER = { instId: 'BTC-USDT', tdMode: 'cash', side: 'buy', ordType: 'limit', sz: '0.01' };
const LINEAR = {
  category: 'linear',
  symbol: 'BTCUSDT',
  side: 'Buy',
  orderType: 'Limit',
  qty: '0.01',
};
const LISTED = {
  currency_pair: 'BTC_USDT',
  side: 'buy',
  type: 'limit',
  amount: '0.01',
  price: '1',
};
const KUCOIN = {
  clientOid: '1',
  side: 'buy',
  symbol: 'BTC-USDT',
  type: 'limit',
  size: '0.01',
  price: '1',
};
const form = (line: string, body: string): VenueRequest => ({ ...request(line), body });
const batchOf = (quantity: string): string =>
  JSON.stringify([{ symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity, price: '1' }]);
const GEMINI_ORDER = {
  symbol: 'BTCUSD',
  amount: '0.01',
  price: '1',
  side: 'buy',
  type: 'exchange limit',
};
const MIX = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT', size: '0.01' };

const DAILY: readonly (readonly [bot: string, venueId: string, sent: VenueRequest])[] = [
  [
    'python-okx, an order',
    'okx',
    request('POST /api/v5/trade/order', { ...OKX_EMPTY, ...OKX_ORDER, attachAlgoOrds: null }),
  ],
  [
    'python-okx, open orders',
    'okx',
    request('GET /api/v5/trade/orders-pending', 'instType=SPOT&uly=&instId=&ordType=&state='),
  ],
  [
    'python-okx, an amendment',
    'okx',
    request('POST /api/v5/trade/amend-order', {
      ...OKX_UNAMENDED,
      instId: 'BTC-USDT',
      ordId: '1',
      newSz: '0.01',
    }),
  ],
  [
    'freqtrade, an order with position_idx',
    'bybit',
    request('POST /v5/order/create', { ...LINEAR, position_idx: 0 }),
  ],
  [
    'ccxt, funding history',
    'bybit',
    request('GET /v5/execution/list', 'execType=Funding&category=linear&size=100'),
  ],
  [
    'ccxt, an amendment by both names',
    'bybit',
    request('POST /v5/order/amend', {
      category: 'spot',
      symbol: 'BTCUSDT',
      orderLinkId: 'a',
      clientOrderId: 'a',
      qty: '0.01',
    }),
  ],
  [
    'freqtrade, an order of Kraken',
    'kraken',
    {
      ...request('POST /0/private/AddOrder'),
      body: 'pair=XBTUSD&type=buy&ordertype=limit&volume=0.01&price=1&trading_agreement=agree',
    },
  ],
  [
    'ccxt, a cancellation with its product',
    'coinbase_exchange',
    request('DELETE /orders/a1', { product_id: 'BTC-USD' }),
  ],
  [
    'ccxt, all of a product cancelled',
    'coinbase_exchange',
    request('DELETE /orders', { product_id: 'BTC-USD' }),
  ],
  [
    'cbpro, orders of several states',
    'coinbase_exchange',
    request('GET /orders', 'status=open&status=pending&product_id=BTC-USD'),
  ],
  [
    'orders as raw JSON',
    'binance',
    form('POST /fapi/v1/batchOrders', `batchOrders=${batchOf('0.01')}`),
  ],
  [
    'cancellations as raw JSON',
    'binance',
    form('DELETE /fapi/v1/batchOrders', 'symbol=BTCUSDT&origclientorderidlist=["a","b"]'),
  ],
  [
    'a conditional order by its id',
    'binance',
    request('GET /fapi/v1/algoOrder', 'algoId=1&symbol=BTCUSDT'),
  ],
  ['a market in capitals', 'gemini', request('POST /v1/order/new', GEMINI_ORDER)],
  [
    'a market in small letters',
    'kraken_futures',
    form(
      'POST /derivatives/api/v3/sendorder',
      'orderType=lmt&symbol=pf_xbtusd&side=buy&size=0.01&limitPrice=1',
    ),
  ],
  [
    'ccxt, a purchase with its stops',
    'bybit',
    request('POST /v5/order/create', {
      ...LINEAR,
      category: 'spot',
      takeProfit: '2',
      stopLoss: '1',
    }),
  ],
  [
    'KuCoin’s SDK, cancellations in the body of a DELETE',
    'kucoin',
    request('DELETE /api/v1/orders/multi-cancel', { orderIdsList: ['1', '2'] }),
  ],
  ['an encoded comma', 'kucoin', request('GET /api/v1/accounts/ledgers', 'currency=BTC%2CETH')],
  [
    'ccxt, market orders of pairs',
    'gate',
    request('POST /api/v4/spot/batch_orders', [
      { ...LISTED, type: 'market', side: 'sell', price: undefined, time_in_force: 'ioc' },
    ]),
  ],
  [
    'a cancellation in small letters',
    'binance',
    request('DELETE /fapi/v1/algoOrder', 'algoid=1&symbol=BTCUSDT'),
  ],
  [
    'ccxt, a trailing stop',
    'binance',
    request(
      'POST /fapi/v1/algoOrder',
      'algoType=CONDITIONAL&symbol=BTCUSDT&side=SELL&type=TRAILING_STOP_MARKET&quantity=0.01&callbackRate=1&activationPrice=49000',
    ),
  ],
  [
    'ccxt, an amendment by both names',
    'binance',
    request(
      'PUT /fapi/v1/order',
      'symbol=BTCUSDT&side=BUY&quantity=0.01&price=1&origClientOrderId=a&clientOrderId=a',
    ),
  ],
  [
    'ccxt, a plan',
    'bitget',
    request('POST /api/v2/mix/order/place-plan-order', {
      ...MIX,
      side: 'buy',
      tradeSide: 'Open',
      orderType: 'limit',
      force: 'GTC',
      planType: 'normal_plan',
      triggerPrice: '1',
      executePrice: '1',
    }),
  ],
  [
    'ccxt, a stop',
    'bitget',
    request('POST /api/v2/mix/order/place-tpsl-order', {
      ...MIX,
      orderType: 'limit',
      force: 'GTC',
      planType: 'pos_loss',
      triggerPrice: '1',
      executePrice: '1',
      holdSide: 'sell',
    }),
  ],
  [
    'ccxt, a replacement',
    'bitget',
    request('POST /api/v2/spot/trade/cancel-replace-order', {
      symbol: 'BTCUSDT',
      orderId: '1',
      orderType: 'limit',
      size: '0.01',
      price: '1',
    }),
  ],
  [
    'ccxt, a stop of a unified account',
    'bitget',
    request('POST /api/v3/trade/place-strategy-order', {
      category: 'USDT-FUTURES',
      symbol: 'BTCUSDT',
      qty: '0.01',
      side: 'sell',
      stopLoss: '1',
      slTriggerBy: 'mark',
    }),
  ],
  [
    'ccxt, orders of futures',
    'gate',
    request('POST /api/v4/futures/btc/batch_orders', [
      {
        contract: 'BTC_USD',
        size: 1,
        price: '1',
        settle: 'btc',
        text: 't-1',
        textIsRequired: true,
      },
    ]),
  ],
  [
    'ccxt, orders of pairs',
    'gate',
    request('POST /api/v4/spot/batch_orders', [{ ...LISTED, text: 't-1', textIsRequired: true }]),
  ],
  [
    'ccxt, cancellations with the currency in capitals',
    'gate',
    request('POST /api/v4/futures/USDT/batch_cancel_orders', ['1', '2']),
  ],
  [
    'ccxt, orders of pairs',
    'kucoin',
    request('POST /api/v1/orders/multi', {
      symbol: 'BTC-USDT',
      orderList: [KUCOIN, { ...KUCOIN, clientOid: '2' }],
    }),
  ],
  [
    'orders in a list',
    'kucoin',
    request('POST /api/v1/orders/multi', [KUCOIN, { ...KUCOIN, clientOid: '2' }]),
  ],
  [
    'an order with a stop in the older way',
    'okx',
    request('POST /api/v5/trade/order', { ...OKX_EMPTY, ...OKX_ORDER, slTriggerPx: '1' }),
  ],
  ['ccxt, deposit addresses', 'kucoin', request('GET /api/v2/deposit-addresses', 'currency=USDT')],
];

describe('what bots send every day is signed under the three rules', () => {
  it.each(DAILY)('%s: %s', (_bot, venueId, sent) => {
    expect(signed(venueId, sent)).toMatchObject({ isSigned: true });
  });

  const TOO_MUCH: readonly (readonly [what: string, venueId: string, sent: VenueRequest])[] = [
    [
      'a stop of an order that does not say its side',
      'okx',
      request('POST /api/v5/trade/order', { ...OKX_ORDER, side: '', slTriggerPx: '1' }),
    ],
    [
      'a size that is not stated',
      'okx',
      request('POST /api/v5/trade/order', { ...OKX_ORDER, sz: '' }),
    ],
    [
      'an instrument that is not stated',
      'okx',
      request('POST /api/v5/trade/order', { ...OKX_ORDER, instId: null }),
    ],
    [
      'a stop that an amendment adds',
      'okx',
      request('POST /api/v5/trade/amend-order', {
        instId: 'BTC-USDT',
        ordId: '1',
        newSz: '0.01',
        newSlTriggerRatio: '0.1',
      }),
    ],
    [
      'one large order of a list',
      'kucoin',
      request('POST /api/v1/orders/multi', {
        symbol: 'BTC-USDT',
        orderList: [KUCOIN, { ...KUCOIN, size: '9' }],
      }),
    ],
    [
      'orders within an order of a list',
      'kucoin',
      request('POST /api/v1/orders/multi', [
        { ...KUCOIN, size: '9', orderList: [{ clientOid: '1' }] },
      ]),
    ],
    [
      'a large order in raw JSON',
      'binance',
      form('POST /fapi/v1/batchOrders', `batchOrders=${batchOf('9')}`),
    ],
    [
      'a large order in capitals',
      'gemini',
      request('POST /v1/order/new', { ...GEMINI_ORDER, amount: '9' }),
    ],
    [
      'a plan that closes',
      'bitget',
      request('POST /api/v3/trade/place-strategy-order', {
        category: 'USDT-FUTURES',
        symbol: 'BTCUSDT',
        stopLoss: '1',
      }),
    ],
  ];

  it.each(TOO_MUCH)('and is not, where it is more: %s', (_what, venueId, sent) => {
    expect(signed(venueId, sent)).toMatchObject({ isSigned: false });
  });

  it.each([
    [
      'ccxt, a margin mode with its leverage',
      'bybit',
      request('POST /v5/account/set-margin-mode', { setMarginMode: 'X', leverage: '3' }),
    ],
    [
      'ccxt, an amended stop of a unified account',
      'bitget',
      request('POST /api/v3/trade/modify-strategy-order', { orderId: '1', qty: '0.01' }),
    ],
    [
      'ccxt, an amended order of futures',
      'gate',
      request('PUT /api/v4/futures/usdt/orders/1', { size: 1, price: '1' }),
    ],
  ])('and what has no market to compare is a trade all the same: %s', (_bot, venueId, sent) => {
    expect(signed(venueId, sent)).toMatchObject({ operationClass: 'trade', isSigned: false });
    const trader = stateWith([{ operationClasses: ['trade'] }]);
    expect(judgeRequest(trader, venueId, sent, 'hmac').isSigned).toBe(true);
  });

  it('what moves funds between accounts is no trade', () => {
    const moved = request('POST /papi/v1/bnb-transfer', 'amount=0.001&transferSide=TO_UM');
    expect(signed('binance', moved)).toMatchObject({ operationClass: 'transfer', isSigned: false });
  });
});
