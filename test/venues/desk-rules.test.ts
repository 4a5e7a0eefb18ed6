/** "Look and cancel freely, trade these up to this much": the rules of docs/how-to/keys.md, tried at every venue. */
import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from '@jest/globals';
import type { KeyType } from '@countersign/core/signature-schemes.js';
import { judgeRequest, stateWith } from '../../workshop/src/sweep/judge-request.js';
import type { RuleConditions } from '@countersign/vault/state/state.js';
import { findVenue, VENUES } from '@countersign/venues/venue-catalogue.js';
import type { VenueRequest } from '@countersign/venues/engine/venue.js';

type Body = object | string;
type Sent = readonly [line: string, content?: Body];

/** What a bot sends at a venue, with the rule's limits in mind: 0.01, or 1000 of the quote currency, or 10 contracts. */
interface Desk {
  readonly symbols: readonly string[];
  readonly contractSymbols?: readonly string[];
  readonly allowed: Readonly<Record<string, Sent>>;
  readonly denied: Readonly<Record<string, Sent>>;
}

const deribit = (name: string): string => `GET /api/v2/private/${name}`;
const v5 = (name: string): string => `POST /api/v5/${name}`;
const kraken = (name: string): string => `POST /0/private/${name}`;
const futures = (name: string): string => `POST /derivatives/api/v3/${name}`;
const bitfinex = (name: string): string => `POST /v2/auth/${name}`;

const BINANCE_ORDER = 'symbol=BTCUSDT&side=BUY';
const OKX_ORDER = { instId: 'BTC-USDT', tdMode: 'cash', side: 'buy', ordType: 'limit', px: '1' };
const OKX_SWAP = { ...OKX_ORDER, instId: 'BTC-USDT-SWAP', tdMode: 'cross' };
const BYBIT_ORDER = { category: 'spot', symbol: 'BTCUSDT', side: 'Buy', orderType: 'Limit' };
const EXCHANGE_ORDER = { product_id: 'BTC-USD', side: 'buy' };
const GATE_ORDER = { currency_pair: 'BTC_USDT', side: 'buy', type: 'limit', price: '1' };
const KUCOIN_ORDER = { clientOid: '1', side: 'buy', symbol: 'BTC-USDT', type: 'limit', price: '1' };
const KUCOIN_LOTS = { ...KUCOIN_ORDER, symbol: 'XBTUSDTM', leverage: '2' };
const BITGET_ORDER = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc' };
const GEMINI_ORDER = { symbol: 'btcusd', side: 'buy', type: 'exchange limit', price: '1' };
const BACKPACK_ORDER = { symbol: 'BTC_USDC', side: 'Bid', orderType: 'Limit', price: '1' };

const DESKS: Readonly<Record<string, Desk>> = {
  binance: {
    symbols: ['BTCUSDT'],
    contractSymbols: ['BTCUSD_PERP'],
    allowed: {
      order: ['POST /api/v3/order', `${BINANCE_ORDER}&type=LIMIT&quantity=0.01&price=1`],
      'a purchase by its cost': [
        'POST /api/v3/order',
        `${BINANCE_ORDER}&type=MARKET&quoteOrderQty=1000`,
      ],
      'an order of futures': ['POST /fapi/v1/order', `${BINANCE_ORDER}&type=MARKET&quantity=0.01`],
      'an order of contracts': [
        'POST /dapi/v1/order',
        'symbol=BTCUSD_PERP&side=BUY&type=MARKET&quantity=10',
      ],
      cancel: ['DELETE /api/v3/order', 'symbol=BTCUSDT&orderId=1'],
      'cancel all': ['DELETE /api/v3/openOrders', 'symbol=BTCUSDT'],
      'cancel by a timer': ['POST /fapi/v1/countdownCancelAll', 'symbol=BTCUSDT&countdownTime=1'],
      'open orders': ['GET /api/v3/openOrders', 'symbol=BTCUSDT'],
      'an order read': ['GET /api/v3/order', 'symbol=BTCUSDT&orderId=1'],
      'all orders': ['GET /api/v3/allOrders', 'symbol=BTCUSDT'],
      trades: ['GET /api/v3/myTrades', 'symbol=BTCUSDT&limit=10'],
      balance: ['GET /api/v3/account'],
    },
    denied: {
      'too much': ['POST /api/v3/order', `${BINANCE_ORDER}&type=LIMIT&quantity=0.02&price=1`],
      'too dear': ['POST /api/v3/order', `${BINANCE_ORDER}&type=MARKET&quoteOrderQty=1001`],
      'another market': ['POST /api/v3/order', 'symbol=ETHUSDT&side=BUY&type=MARKET&quantity=0.01'],
      'a replacement of another market': [
        'POST /api/v3/order/cancelReplace',
        'symbol=ETHUSDT&side=BUY&type=LIMIT&quantity=0.01&cancelReplaceMode=ALLOW_FAILURE',
      ],
      withdrawal: ['POST /sapi/v1/capital/withdraw/apply', 'coin=BTC&address=A&amount=0.001'],
    },
  },
  bybit: {
    symbols: ['BTCUSDT'],
    allowed: {
      order: ['POST /v5/order/create', { ...BYBIT_ORDER, qty: '0.01', price: '1' }],
      'a purchase by its cost': [
        'POST /v5/order/create',
        { ...BYBIT_ORDER, orderType: 'Market', qty: '1000' },
      ],
      amendment: [
        'POST /v5/order/amend',
        { category: 'spot', symbol: 'BTCUSDT', orderId: '1', qty: '0.01' },
      ],
      cancel: ['POST /v5/order/cancel', { category: 'spot', symbol: 'BTCUSDT', orderId: '1' }],
      'cancel several': [
        'POST /v5/order/cancel-batch',
        { category: 'spot', request: [{ symbol: 'BTCUSDT', orderId: '1' }] },
      ],
      'cancel all': ['POST /v5/order/cancel-all', { category: 'linear', settleCoin: 'USDT' }],
      'open orders': ['GET /v5/order/realtime', 'category=spot&symbol=BTCUSDT'],
      trades: ['GET /v5/execution/list', 'category=spot&symbol=BTCUSDT'],
      balance: ['GET /v5/account/wallet-balance', 'accountType=UNIFIED'],
    },
    denied: {
      'too much': ['POST /v5/order/create', { ...BYBIT_ORDER, qty: '0.02', price: '1' }],
      'too dear': ['POST /v5/order/create', { ...BYBIT_ORDER, orderType: 'Market', qty: '1001' }],
      'a batch of other orders': [
        'POST /v5/order/create-batch',
        {
          category: 'spot',
          request: [{ symbol: 'ETHUSDT', side: 'Buy', orderType: 'Market', qty: '1' }],
        },
      ],
      withdrawal: [
        'POST /v5/asset/withdraw/create',
        { coin: 'BTC', address: 'A', amount: '0.001' },
      ],
    },
  },
  okx: {
    symbols: ['BTC-USDT'],
    contractSymbols: ['BTC-USDT-SWAP'],
    allowed: {
      order: [v5('trade/order'), { ...OKX_ORDER, sz: '0.01' }],
      'a purchase by its cost': [
        v5('trade/order'),
        { instId: 'BTC-USDT', tdMode: 'cash', side: 'buy', ordType: 'market', sz: '1000' },
      ],
      'an order of contracts': [v5('trade/order'), { ...OKX_SWAP, sz: '10' }],
      'an order of contracts amended': [
        v5('trade/amend-order'),
        { instId: 'BTC-USDT-SWAP', ordId: '1', newSz: '10' },
      ],
      cancel: [v5('trade/cancel-order'), { instId: 'BTC-USDT', ordId: '1' }],
      'cancel several': [v5('trade/cancel-batch-orders'), [{ instId: 'BTC-USDT', ordId: '1' }]],
      'cancel all': [v5('trade/mass-cancel'), { instType: 'OPTION', instFamily: 'BTC-USD' }],
      'cancel by a timer': [v5('trade/cancel-all-after'), { timeOut: '60' }],
      'open orders': ['GET /api/v5/trade/orders-pending', 'instType=SPOT'],
      trades: ['GET /api/v5/trade/fills', 'instId=BTC-USDT'],
      balance: ['GET /api/v5/account/balance'],
    },
    denied: {
      'too much': [v5('trade/order'), { ...OKX_ORDER, sz: '0.02' }],
      'too many contracts': [v5('trade/order'), { ...OKX_SWAP, sz: '11' }],
      'contracts of another market': [
        v5('trade/order'),
        { ...OKX_SWAP, instId: 'ETH-USDT-SWAP', sz: '1' },
      ],
      withdrawal: [v5('asset/withdrawal'), { ccy: 'BTC', amt: '0.001', dest: '4', toAddr: 'A' }],
    },
  },
  kraken: {
    symbols: ['XBTUSD'],
    allowed: {
      order: [kraken('AddOrder'), 'pair=XBTUSD&type=buy&ordertype=limit&price=1&volume=0.01'],
      'a purchase by its cost': [
        kraken('AddOrder'),
        'pair=XBTUSD&type=buy&ordertype=market&volume=1000&oflags=viqc',
      ],
      cancel: [kraken('CancelOrder'), 'txid=O1'],
      'cancel all': [kraken('CancelAll')],
      'cancel by a timer': [kraken('CancelAllOrdersAfter'), 'timeout=60'],
      'open orders': [kraken('OpenOrders')],
      trades: [kraken('TradesHistory')],
      balance: [kraken('Balance')],
    },
    denied: {
      'too much': [kraken('AddOrder'), 'pair=XBTUSD&type=buy&ordertype=market&volume=0.02'],
      withdrawal: [kraken('Withdraw'), 'asset=XBT&key=cold&amount=0.001'],
    },
  },
  kraken_futures: {
    symbols: ['PF_XBTUSD'],
    contractSymbols: ['PI_XBTUSD'],
    allowed: {
      order: [futures('sendorder'), 'orderType=mkt&symbol=PF_XBTUSD&side=buy&size=0.01'],
      'an order of contracts': [
        futures('sendorder'),
        'orderType=mkt&symbol=PI_XBTUSD&side=buy&size=10',
      ],
      cancel: [futures('cancelorder'), 'order_id=1'],
      'cancel all': [futures('cancelallorders'), 'symbol=PF_XBTUSD'],
      'open orders': ['GET /derivatives/api/v3/openorders'],
      trades: ['GET /derivatives/api/v3/fills'],
    },
    denied: {
      'too much': [futures('sendorder'), 'orderType=mkt&symbol=PF_XBTUSD&side=buy&size=0.02'],
      withdrawal: [futures('withdrawal'), 'currency=XBT&amount=0.001&targetWallet=a'],
    },
  },
  coinbase_advanced: {
    symbols: [],
    allowed: {
      order: ['POST /api/v3/brokerage/orders', { product_id: 'BTC-USD' }],
      cancel: ['POST /api/v3/brokerage/orders/batch_cancel', { order_ids: ['1'] }],
      'open orders': ['GET /api/v3/brokerage/orders/historical/batch', 'order_status=OPEN'],
      trades: ['GET /api/v3/brokerage/orders/historical/fills'],
    },
    denied: {
      withdrawal: ['POST /v2/accounts/a/transactions', { type: 'send', to: 'A', amount: '1' }],
    },
  },
  coinbase_exchange: {
    symbols: ['BTC-USD'],
    allowed: {
      order: ['POST /orders', { ...EXCHANGE_ORDER, size: '0.01', price: '1' }],
      'a purchase by its cost': [
        'POST /orders',
        { ...EXCHANGE_ORDER, type: 'market', funds: '1000' },
      ],
      cancel: ['DELETE /orders/a1'],
      'cancel all': ['DELETE /orders', 'product_id=BTC-USD'],
      'open orders': ['GET /orders', 'status=open'],
      trades: ['GET /fills', 'product_id=BTC-USD'],
    },
    denied: {
      'too much': ['POST /orders', { ...EXCHANGE_ORDER, size: '0.02', price: '1' }],
      withdrawal: [
        'POST /withdrawals/crypto',
        { amount: '0.001', currency: 'BTC', crypto_address: 'A' },
      ],
    },
  },
  deribit: {
    symbols: ['BTC_USDC-PERPETUAL', 'BTC-PERPETUAL'],
    contractSymbols: ['ETH-PERPETUAL'],
    allowed: {
      order: [deribit('buy'), 'instrument_name=BTC_USDC-PERPETUAL&amount=0.01'],
      'a purchase in dollars': [deribit('buy'), 'instrument_name=BTC-PERPETUAL&amount=1000'],
      'an order of contracts': [deribit('sell'), 'instrument_name=ETH-PERPETUAL&contracts=10'],
      cancel: [deribit('cancel'), 'order_id=1'],
      'cancel all': [deribit('cancel_all')],
      'open orders': [deribit('get_open_orders')],
      trades: [deribit('get_user_trades_by_instrument'), 'instrument_name=BTC-PERPETUAL'],
    },
    denied: {
      'too much': [deribit('buy'), 'instrument_name=BTC_USDC-PERPETUAL&amount=0.02'],
      withdrawal: [deribit('withdraw'), 'currency=BTC&address=A&amount=0.001'],
    },
  },
  bitfinex: {
    symbols: ['tBTCUSD'],
    allowed: {
      order: [bitfinex('w/order/submit'), { type: 'LIMIT', symbol: 'tBTCUSD', amount: '0.01' }],
      cancel: [bitfinex('w/order/cancel'), { id: 1 }],
      'cancel all': [bitfinex('w/order/cancel/multi'), { all: 1 }],
      'open orders': [bitfinex('r/orders'), {}],
      trades: [bitfinex('r/trades/tBTCUSD/hist'), {}],
    },
    denied: {
      'too much': [bitfinex('w/order/submit'), { type: 'LIMIT', symbol: 'tBTCUSD', amount: '-1' }],
      withdrawal: [
        bitfinex('w/withdraw'),
        { wallet: 'exchange', method: 'bitcoin', amount: '0.001', address: 'A' },
      ],
    },
  },
  gate: {
    symbols: ['BTC_USDT'],
    contractSymbols: ['BTC_USD'],
    allowed: {
      order: ['POST /api/v4/spot/orders', { ...GATE_ORDER, amount: '0.01' }],
      'a purchase by its cost': [
        'POST /api/v4/spot/orders',
        { currency_pair: 'BTC_USDT', side: 'buy', type: 'market', amount: '1000' },
      ],
      'an order of contracts': [
        'POST /api/v4/futures/btc/orders',
        { contract: 'BTC_USD', size: -10, price: '1' },
      ],
      cancel: ['DELETE /api/v4/spot/orders/1', 'currency_pair=BTC_USDT'],
      'cancel several': ['POST /api/v4/futures/usdt/batch_cancel_orders', ['1', '2']],
      'cancel all': ['DELETE /api/v4/futures/usdt/orders', 'contract=BTC_USDT'],
      'open orders': ['GET /api/v4/spot/open_orders'],
      trades: ['GET /api/v4/spot/my_trades', 'currency_pair=BTC_USDT'],
    },
    denied: {
      'too much': ['POST /api/v4/spot/orders', { ...GATE_ORDER, amount: '0.02' }],
      'too many contracts': [
        'POST /api/v4/futures/btc/orders',
        { contract: 'BTC_USD', size: -11, price: '1' },
      ],
      withdrawal: ['POST /api/v4/withdrawals', { currency: 'BTC', amount: '0.001', address: 'A' }],
    },
  },
  kucoin: {
    symbols: ['BTC-USDT'],
    contractSymbols: ['XBTUSDTM'],
    allowed: {
      order: ['POST /api/v1/hf/orders', { ...KUCOIN_ORDER, size: '0.01' }],
      'a purchase by its cost': [
        'POST /api/v1/hf/orders',
        { clientOid: '1', side: 'buy', symbol: 'BTC-USDT', type: 'market', funds: '1000' },
      ],
      'an order of contracts': ['POST /api/v1/orders', { ...KUCOIN_LOTS, size: 10 }],
      cancel: ['DELETE /api/v1/hf/orders/a1', 'symbol=BTC-USDT'],
      'cancel all': ['DELETE /api/v1/hf/orders', 'symbol=BTC-USDT'],
      'open orders': ['GET /api/v1/hf/orders/active', 'symbol=BTC-USDT'],
      trades: ['GET /api/v1/hf/fills', 'symbol=BTC-USDT'],
    },
    denied: {
      'too much': ['POST /api/v1/hf/orders', { ...KUCOIN_ORDER, size: '0.02' }],
      'too many contracts': ['POST /api/v1/orders', { ...KUCOIN_LOTS, size: 11 }],
      withdrawal: [
        'POST /api/v3/withdrawals',
        { currency: 'BTC', toAddress: 'A', amount: '0.001', withdrawType: 'ADDRESS' },
      ],
    },
  },
  bitget: {
    symbols: ['BTCUSDT'],
    allowed: {
      order: ['POST /api/v2/spot/trade/place-order', { ...BITGET_ORDER, price: '1', size: '0.01' }],
      'a purchase by its cost': [
        'POST /api/v2/spot/trade/place-order',
        { ...BITGET_ORDER, orderType: 'market', size: '1000' },
      ],
      cancel: ['POST /api/v2/spot/trade/cancel-order', { symbol: 'BTCUSDT', orderId: '1' }],
      'cancel all': ['POST /api/v2/mix/order/cancel-all-orders', { productType: 'USDT-FUTURES' }],
      'open orders': ['GET /api/v2/spot/trade/unfilled-orders', 'symbol=BTCUSDT'],
      trades: ['GET /api/v2/spot/trade/fills', 'symbol=BTCUSDT'],
    },
    denied: {
      'too much': ['POST /api/v2/spot/trade/place-order', { ...BITGET_ORDER, size: '0.02' }],
      withdrawal: [
        'POST /api/v2/spot/wallet/withdrawal',
        { coin: 'BTC', transferType: 'on_chain', address: 'A', size: '0.001' },
      ],
    },
  },
  gemini: {
    symbols: ['btcusd'],
    allowed: {
      order: ['POST /v1/order/new', { ...GEMINI_ORDER, amount: '0.01' }],
      cancel: ['POST /v1/order/cancel', { order_id: 1 }],
      'cancel all': ['POST /v1/order/cancel/all', {}],
      heartbeat: ['POST /v1/heartbeat', {}],
      'open orders': ['POST /v1/orders', {}],
      trades: ['POST /v1/mytrades', { symbol: 'btcusd' }],
    },
    denied: {
      'too much': ['POST /v1/order/new', { ...GEMINI_ORDER, amount: '0.02' }],
      withdrawal: ['POST /v1/withdraw/btc', { address: 'A', amount: '0.001' }],
    },
  },
  backpack: {
    symbols: ['BTC_USDC'],
    allowed: {
      order: ['POST /api/v1/order', { ...BACKPACK_ORDER, quantity: '0.01' }],
      'a purchase by its cost': [
        'POST /api/v1/order',
        { symbol: 'BTC_USDC', side: 'Bid', orderType: 'Market', quoteQuantity: '1000' },
      ],
      cancel: ['DELETE /api/v1/order', { symbol: 'BTC_USDC', orderId: '1' }],
      'cancel all': ['DELETE /api/v1/orders', { symbol: 'BTC_USDC' }],
      'open orders': ['GET /api/v1/orders'],
      trades: ['GET /wapi/v1/history/fills', 'symbol=BTC_USDC'],
    },
    denied: {
      'too much': ['POST /api/v1/order', { ...BACKPACK_ORDER, quantity: '0.02' }],
      withdrawal: [
        'POST /wapi/v1/capital/withdrawals',
        { symbol: 'BTC', quantity: '0.001', address: 'A', blockchain: 'Bitcoin' },
      ],
    },
  },
};

interface DocumentedRule {
  readonly display_name: string;
  readonly then: 'allow';
  readonly when: {
    readonly operation_classes: ('read' | 'cancel' | 'trade')[];
    readonly symbols?: string[];
    readonly amount?: { max: string };
    readonly quote_amount?: { max: string };
    readonly contracts?: { max: string };
  };
}

const [, json = ''] =
  /<!-- test\/venues\/desk-rules\.test\.ts[^>]*-->\n+```json\n([\s\S]*?)```/.exec(
    readFileSync('docs/how-to/keys.md', 'utf8'),
  ) ?? [];
const DOCUMENTED = JSON.parse(json) as DocumentedRule[];

/** The rules as they stand in the guide, for the markets of the venue. */
function conditionsFor(desk: Desk): RuleConditions[] {
  return DOCUMENTED.map(({ when }) => {
    const {
      operation_classes: operationClasses,
      amount,
      quote_amount: quoteAmount,
      contracts,
    } = when;
    if (when.symbols === undefined || desk.symbols.length === 0) return { operationClasses };
    const symbols = contracts === undefined ? desk.symbols : (desk.contractSymbols ?? ['NONE']);
    return { operationClasses, symbols, amount, quoteAmount, contracts };
  });
}

const FORM_VENUES = ['kraken', 'kraken_futures'];

function requestOf(venueId: string, [line, content]: Sent): VenueRequest {
  const [method = '', path = ''] = line.split(' ');
  const isForm = typeof content === 'string' && method === 'POST' && FORM_VENUES.includes(venueId);
  const body = typeof content === 'object' ? JSON.stringify(content) : isForm ? content : '';
  const query = typeof content === 'string' && !isForm ? content : '';
  return { method, path, query, body, channel: 'rest' };
}

function decide(venueId: string, sent: Sent) {
  const venue = findVenue(venueId)!;
  const keyType = Object.keys(venue.schemes)[0] as KeyType;
  const state = stateWith(conditionsFor(DESKS[venueId]!));
  return judgeRequest(state, venueId, requestOf(venueId, sent), keyType);
}

test('every venue has its desk', () => {
  expect(Object.keys(DESKS).toSorted()).toEqual(VENUES.map(({ id }) => id).toSorted());
  expect(DOCUMENTED).toHaveLength(3);
});

describe.each(Object.entries(DESKS))('the documented rules at %s', (venueId, desk) => {
  it.each(Object.entries(desk.allowed))('allow: %s', (_name, sent) => {
    expect(decide(venueId, sent)).toMatchObject({ isSigned: true });
  });

  it.each(Object.entries(desk.denied))('deny: %s', (name, sent) => {
    const { isSigned, operationClass } = decide(venueId, sent);
    expect(isSigned).toBe(false);
    expect(operationClass).not.toBe('refused');
    expect(operationClass === 'withdraw').toBe(name === 'withdrawal');
  });
});
