/** What other libraries than ccxt send every day is signed under a bot's rules; the rest is here, and in docs/reference/venue-coverage.md, with its reason. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { sweepLibraries } from '../../workshop/src/sweep/sweep-libraries.js';
import { countedRows } from '../support/sweep-tables.ts';

/** By library: method, path and why. */
const NOT_SIGNED: Readonly<Record<string, readonly string[]>> = {
  'python-binance': [
    'POST /fapi/v1/order size',
    'POST /fapi/v1/leverage no size',
    'POST /fapi/v1/marginType no size',
    'POST /fapi/v1/positionSide/dual symbol',
    'POST /sapi/v1/margin/borrow-repay transfer',
    'POST /sapi/v1/asset/transfer transfer',
    'POST /sapi/v1/capital/withdraw/apply withdraw',
  ],
  pybit: [
    'POST /v5/order/create size',
    'POST /v5/position/set-leverage no size',
    'POST /v5/position/switch-isolated no size',
    'POST /v5/position/switch-mode no size',
    'POST /v5/position/trading-stop size',
    'POST /v5/position/set-auto-add-margin no size',
    'POST /v5/account/set-margin-mode symbol',
    'GET /v5/asset/transfer/query-account-coins-balance form',
    'POST /v5/asset/transfer/inter-transfer transfer',
    'POST /v5/asset/withdraw/create withdraw',
  ],
  'python-okx': [
    'POST /api/v5/trade/close-position size',
    'POST /api/v5/account/set-leverage symbol',
    'POST /api/v5/account/set-position-mode symbol',
    'POST /api/v5/asset/transfer parameter',
    'POST /api/v5/asset/withdrawal withdraw',
  ],
  cbpro: [
    'GET /accounts/ form',
    'POST /orders parameter',
    'POST /conversions symbol',
    'POST /position/close endpoint',
    'POST /withdrawals/crypto withdraw',
  ],
  'coinbase-advanced-py': ['POST /api/v3/brokerage/portfolios/move_funds transfer'],
  'python-kraken-sdk': [
    'POST /0/private/AmendOrder symbol',
    'POST /0/private/EditOrder symbol',
    'POST /0/private/GetWebSocketsToken session',
    'POST /0/private/Withdraw withdraw',
  ],
  'python-kraken-sdk (futures)': [
    'POST /derivatives/api/v3/editorder symbol',
    'PUT /derivatives/api/v3/leveragepreferences no size',
    'POST /derivatives/api/v3/withdrawal withdraw',
  ],
  'bitfinex-api-py': ['POST /v2/auth/w/order/update symbol', 'POST /v2/auth/w/transfer transfer'],
  'gateapi-python': [
    'PUT /api/v4/futures/usdt/orders/1 symbol',
    'POST /api/v4/futures/usdt/positions/BTC_USDT/leverage no size',
    'POST /api/v4/wallet/transfers transfer',
    'POST /api/v4/withdrawals withdraw',
  ],
  'kucoin-universal-sdk': [
    'POST /api/v2/changeCrossUserLeverage no size',
    'POST /api/v3/accounts/universal-transfer transfer',
    'POST /api/v1/bullet-private session',
  ],
  'bitget-python-sdk-api': [
    'POST /api/v2/mix/account/set-leverage no size',
    'POST /api/v2/spot/wallet/transfer transfer',
  ],
  'gemini-python': ['POST /v1/withdraw/btc withdraw'],
  'bpx-py': ['POST /wapi/v1/capital/withdrawals withdraw'],
};

describe.each(sweepLibraries())('$library', ({ library, requests }) => {
  test('is signed, but for what is known', () => {
    const refused = requests.flatMap(({ request, refusal }) => {
      if (refusal === undefined) return [];
      // of a class that the rules do not name, the class is the reason
      const why = refusal.why === 'class' ? refusal.text : refusal.why;
      return [`${request.method} ${request.path} ${why}`];
    });
    expect(refused).toEqual(NOT_SIGNED[library]);
  });

  test('what moves funds counts as that, and every refusal has its text', () => {
    const moving = requests.filter(({ request }) =>
      /withdraw|transfer|move_funds/i.test(request.path),
    );
    for (const { request, operationClass, refusal } of moving) {
      const isLook = request.method === 'GET';
      const classes = isLook ? ['read', 'refused'] : ['withdraw', 'transfer', 'unknown'];
      expect([request.path, classes.includes(operationClass)]).toEqual([request.path, true]);
      expect(isLook || (refusal?.text ?? '') !== '').toBe(true);
    }
  });
});

test('docs/reference/venue-coverage.md has the counts', () => {
  const page = readFileSync('docs/reference/venue-coverage.md', 'utf8');
  const documented = countedRows(page, '| library | venue |');
  const told = sweepLibraries().map(({ library, requests }) => {
    const signed = requests.filter(({ isSigned }) => isSigned).length;
    return [library, requests.length, signed] as const;
  });
  const total = (at: 1 | 2): number => told.reduce((sum, row) => sum + row[at], 0);
  const counted = [...told, ['all', total(1), total(2)]];
  const stated = [...documented].map(([name, [requests, signed]]) => [name, requests, signed]);
  expect(counted).toEqual(stated);
});
