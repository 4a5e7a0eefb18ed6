/**
 * The rules of docs/reference/venue-coverage.md under which a bot changes the price of its orders: such a request
 * states no size. Each venue has what has to pass, and what somebody would send to get more than the rules allow.
 */
import { describe, expect, it } from '@jest/globals';
import { isRefusal } from '@countersign/core/errors.js';
import type { KeyType } from '@countersign/core/signature-schemes.js';
import { CATALOGUES } from '@countersign/vault/catalogues/todays-catalogues.js';
import { findRuleFault } from '@countersign/vault/checks/rule-faults.js';
import { decideSigning } from '@countersign/vault/policy/signing-policy.js';
import { findVenue } from '@countersign/venues/venue-catalogue.js';
import { createLedgerBuilder, START } from '../support/ledger-builder.ts';
import { blockWith } from '../support/page-blocks.ts';
import { makeVenueKey } from '../support/venue-reading-key.ts';

type Sent = readonly [line: string, content: object | string];

interface Desk {
  readonly symbols: readonly string[];
  /** The endpoint, where the venue's signature covers it. */
  readonly endpoint?: string;
  readonly allowed: readonly Sent[];
  readonly denied: readonly Sent[];
}

const v5 = (name: string) => `POST /api/v5/trade/${name}`;
const bybit = (name: string) => `POST /v5/${name}`;
const IN_OKX = { instId: 'BTC-USDT', ordId: '1' };
const OKX_ORDER = { instId: 'BTC-USDT', tdMode: 'cash', side: 'buy', ordType: 'limit', px: '9' };
const AT_BYBIT = { category: 'linear', symbol: 'BTCUSDT' };
const BYBIT_ORDER = { ...AT_BYBIT, side: 'Buy', orderType: 'Limit', qty: '0.01', price: '9' };
const PART = { ...AT_BYBIT, positionIdx: 0, tpslMode: 'Partial' };
const COIN = 'symbol=BTCUSD_PERP&side=BUY';
const PAIR = { currency_pair: 'BTC_USDT', account: 'spot' };
const LOTS = { symbol: 'BTC-USDT', orderId: '1' };
const MIX_ACCOUNT = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' };
const MIX = { ...MIX_ACCOUNT, orderId: '1' };
const MODIFY = 'POST /api/v2/mix/order/modify-order';

const DESKS: Readonly<Record<string, Desk>> = {
  okx: {
    symbols: ['BTC-USDT', 'BTC-USDT-SWAP'],
    endpoint: v5('amend-order'),
    allowed: [
      [v5('amend-order'), { ...IN_OKX, newPx: '9' }],
      [v5('amend-order'), { ...IN_OKX, newPx: '9', newSz: '0.01' }],
      [v5('amend-order'), { instId: 'BTC-USDT-SWAP', ordId: '1', newPx: '9' }],
      [v5('order'), { ...OKX_ORDER, sz: '0.01' }],
    ],
    denied: [
      [v5('amend-order'), { ...IN_OKX, newPx: '9', newSz: '0.02' }],
      [v5('amend-order'), { ...IN_OKX, newPx: '9', newSz: '0.02', reqId: 'x' }],
      [v5('amend-order'), { instId: 'BTC-USDT-SWAP', ordId: '1', newSz: '11' }],
      [v5('amend-order'), { instId: 'ETH-USDT', ordId: '1', newPx: '9' }],
      // a stop that is attached sells as much as it says
      [v5('amend-order'), { ...IN_OKX, attachAlgoOrds: [{ newSlTriggerPx: '1', sz: '9' }] }],
      [v5('amend-order'), { ...IN_OKX, newSlTriggerPx: '1', newSlOrdPx: '-1' }],
      [
        v5('amend-batch-orders'),
        [
          { ...IN_OKX, newPx: '9' },
          { ...IN_OKX, newSz: '9' },
        ],
      ],
      [v5('amend-batch-orders'), [{ ...IN_OKX, newPx: '9' }]],
      [v5('order'), { ...OKX_ORDER, sz: '0.02' }],
      [v5('close-position'), { instId: 'BTC-USDT-SWAP', mgnMode: 'cross' }],
      ['POST /api/v5/account/set-leverage', { instId: 'BTC-USDT', lever: '100', mgnMode: 'cross' }],
    ],
  },
  bybit: {
    symbols: ['BTCUSDT'],
    allowed: [
      [bybit('order/amend'), { ...AT_BYBIT, orderId: '1', price: '9' }],
      [bybit('order/amend'), { ...AT_BYBIT, category: 'spot', orderId: '1', price: '9' }],
      [bybit('order/amend'), { ...AT_BYBIT, orderId: '1', triggerPrice: '9' }],
      [bybit('order/amend'), { ...AT_BYBIT, orderId: '1', qty: '0.01' }],
      [bybit('position/trading-stop'), { ...PART, stopLoss: '1', slSize: '0.01' }],
      [
        bybit('position/trading-stop'),
        { ...PART, category: 'inverse', stopLoss: '1', slSize: '1000' },
      ],
      [bybit('order/create'), { ...BYBIT_ORDER, tpslMode: 'Partial', stopLoss: '1' }],
    ],
    denied: [
      [bybit('order/amend'), { ...AT_BYBIT, orderId: '1', price: '9', qty: '0.02' }],
      [bybit('order/amend'), { ...AT_BYBIT, symbol: 'ETHUSDT', orderId: '1', price: '9' }],
      [bybit('order/amend'), { ...AT_BYBIT, orderId: '1', price: '9', stopLoss: '1' }],
      [bybit('order/create'), { ...AT_BYBIT, side: 'Buy', orderType: 'Market', qty: '0.02' }],
      [bybit('position/trading-stop'), { ...AT_BYBIT, positionIdx: 0, stopLoss: '1' }],
      [bybit('position/trading-stop'), { ...PART, stopLoss: '1' }],
      [bybit('position/trading-stop'), { ...PART, stopLoss: '1', slSize: '0.02' }],
      [bybit('position/trading-stop'), { ...PART, stopLoss: '1', slSize: '0' }],
      [bybit('position/trading-stop'), { ...PART, takeProfit: '1' }],
      [bybit('position/trading-stop'), { ...PART, takeProfit: '1', tpSize: '0.02' }],
      // a stop of the whole position has no part
      [
        bybit('position/trading-stop'),
        { ...AT_BYBIT, positionIdx: 0, stopLoss: '1', slSize: '0.01' },
      ],
      [bybit('order/amend'), { ...AT_BYBIT, orderId: '1', price: '9', qty: '0' }],
      [
        bybit('position/trading-stop'),
        { ...PART, category: 'inverse', stopLoss: '1', slSize: '1001' },
      ],
      [bybit('position/trading-stop'), { ...PART, trailingStop: '1' }],
      [bybit('account/borrow'), { coin: 'BTC', amount: '9' }],
      [
        bybit('order/amend-batch'),
        {
          category: 'linear',
          request: [
            { symbol: 'BTCUSDT', orderId: '1', price: '9' },
            { symbol: 'BTCUSDT', orderId: '2', qty: '9' },
          ],
        },
      ],
    ],
  },
  binance: {
    symbols: ['BTCUSD_PERP'],
    allowed: [
      ['PUT /dapi/v1/order', `${COIN}&price=9&orderId=1`],
      ['PUT /dapi/v1/order', `${COIN}&price=9&quantity=10&orderId=1`],
    ],
    denied: [
      ['PUT /dapi/v1/order', `${COIN}&price=9&quantity=11&orderId=1`],
      ['PUT /dapi/v1/order', 'symbol=ETHUSD_PERP&side=BUY&price=9&orderId=1'],
      ['POST /dapi/v1/order', `${COIN}&type=MARKET&quantity=11`],
      ['POST /dapi/v1/order', `${COIN}&type=STOP_MARKET&stopPrice=1&closePosition=true`],
      ['POST /dapi/v1/positionMargin', 'symbol=BTCUSD_PERP&amount=9&type=1'],
    ],
  },
  gate: {
    symbols: ['BTC_USDT'],
    endpoint: 'PATCH /api/v4/spot/orders/{order_id}',
    allowed: [
      ['PATCH /api/v4/spot/orders/1', { ...PAIR, price: '9' }],
      ['PATCH /api/v4/spot/orders/1', { ...PAIR, price: '9', amount: '0.01' }],
    ],
    denied: [
      ['PATCH /api/v4/spot/orders/1', { ...PAIR, price: '9', amount: '0.02' }],
      ['PATCH /api/v4/spot/orders/1', { ...PAIR, currency_pair: 'ETH_USDT', price: '9' }],
      ['PUT /api/v4/futures/usdt/orders/1', { price: '9' }],
      [
        'POST /api/v4/spot/orders',
        { ...PAIR, side: 'buy', type: 'limit', price: '9', amount: '1' },
      ],
    ],
  },
  kucoin: {
    symbols: ['BTC-USDT'],
    endpoint: 'POST /api/v1/hf/orders/alter',
    allowed: [
      ['POST /api/v1/hf/orders/alter', { ...LOTS, newPrice: '9' }],
      ['POST /api/v1/hf/orders/alter', { ...LOTS, newPrice: '9', newSize: '0.01' }],
    ],
    denied: [
      ['POST /api/v1/hf/orders/alter', { ...LOTS, newPrice: '9', newSize: '0.02' }],
      ['POST /api/v1/hf/orders/alter', { ...LOTS, symbol: 'ETH-USDT', newPrice: '9' }],
    ],
  },
  bitget: {
    symbols: ['BTCUSDT'],
    endpoint: MODIFY,
    allowed: [
      [MODIFY, { ...MIX, newClientOid: 'x', newPrice: '9' }],
      [MODIFY, { ...MIX, newClientOid: 'x', newPrice: '9', newSize: '0.01' }],
    ],
    denied: [
      [MODIFY, { ...MIX, newClientOid: 'x', newPrice: '9', newSize: '0.02' }],
      [MODIFY, { ...MIX, symbol: 'ETHUSDT', newClientOid: 'x', newPrice: '9' }],
      // a stop that is attached replaces that of the whole position
      [MODIFY, { ...MIX, newPresetStopLossPrice: '9' }],
      [MODIFY, { ...MIX, newPrice: '9', newPresetStopSurplusPrice: '9' }],
      [
        'POST /api/v2/mix/order/modify-plan-order',
        { ...MIX, planType: 'normal_plan', newSize: '9' },
      ],
      ['POST /api/v2/mix/account/set-leverage', { ...MIX_ACCOUNT, leverage: '100' }],
    ],
  },
};

/** As they stand on the page, for the markets and the endpoint of the venue. */
function rulesFor({ symbols, endpoint }: Desk, botId: string): object[] {
  const json = blockWith('docs/reference/venue-coverage.md', 'json', 'Prices of orders')
    .replaceAll('<bot>', botId)
    .replaceAll('"<markets>"', symbols.map((symbol) => JSON.stringify(symbol)).join(', '));
  const rules = JSON.parse(json) as { when: Record<string, unknown> }[];
  return rules.map((rule) => {
    const { endpoints: named, ...when } = rule.when;
    return named === undefined || endpoint === undefined
      ? { ...rule, when }
      : { ...rule, when: { ...when, endpoints: [endpoint] } };
  });
}

describe.each(Object.entries(DESKS))('a bot that changes prices at %s', (venueId, desk) => {
  const ledger = createLedgerBuilder();
  const bot = ledger.addMachine('bot', []);
  const { keyId, policyId } = makeVenueKey(ledger, venueId, rulesFor(desk, bot.id));
  const { rules, securityGroupId } = ledger.state.signingPolicies.rows.get(policyId)!;

  function decide([line, content]: Sent) {
    const venue = findVenue(venueId)!;
    const [method = '', path = ''] = line.split(' ');
    const [query, body] =
      typeof content === 'string' ? [content, ''] : ['', JSON.stringify(content)];
    const type = Object.keys(venue.schemes)[0] as KeyType;
    const request = { method, path, query, body, channel: 'rest' as const };
    const plan = venue.plan(request, { type, apiKey: 'k' });
    if (isRefusal(plan)) throw new Error(plan.message);
    const initiator = ledger.state.users.rows.get(bot.id)!;
    const standing = { operation: 'sign' as const, initiator, receivedAt: START, venueId, keyId };
    return decideSigning(ledger.state, keyId, { ...standing, venue: plan.facts });
  }

  it('has rules that can be written', () => {
    const group = ledger.state.securityGroups.rows.get(securityGroupId)!;
    expect(findRuleFault(ledger.state, group, rules, CATALOGUES)).toBeUndefined();
  });

  it.each(desk.allowed)('may send %s %j', (...sent) => {
    expect(decide(sent)).toMatchObject({ outcome: 'allow' });
  });

  it.each(desk.denied)('may not send %s %j', (...sent) => {
    expect(decide(sent)).toMatchObject({ outcome: 'deny' });
  });
});
