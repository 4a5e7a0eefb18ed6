/**
 * Parameters beside those that an endpoint heeds: each of these once let a request pass a rule about
 * something else. What no rule may look at, and what a rule can bind still.
 */
import { describe, expect, it } from '@jest/globals';
import {
  bitfinex,
  deribit,
  futures,
  gate,
  kraken,
  market,
  move,
  okx,
  order,
  tryRule,
  type Case,
  type Conditions,
} from '../support/venue-rules.ts';

const OKX_ORDER = {
  instId: 'BTC-USDT',
  tdMode: 'cash',
  side: 'buy',
  ordType: 'limit',
  sz: '0.01',
  px: '1',
};

describe('a parameter that the endpoint ignores', () => {
  const decoys: readonly Case[] = [
    [
      'OKX Lightning: the sum is in the invoice',
      'okx',
      okx('asset/withdrawal-lightning', { ccy: 'BTC', invoice: 'lnbc100m1', amt: '0.0001' }),
      move('withdraw', 'BTC', '0.0001'),
    ],
    [
      'OKX Lightning without the decoy',
      'okx',
      okx('asset/withdrawal-lightning', { ccy: 'BTC', invoice: 'lnbc100m1' }),
      move('withdraw', 'BTC', '0.0001'),
    ],
    [
      'Bitfinex Lightning',
      'bitfinex',
      bitfinex('withdraw', {
        wallet: 'exchange',
        method: 'LNX',
        amount: '0.0001',
        invoice: 'lnbc100m1',
      }),
      move('withdraw', 'LNX', '0.0001'),
    ],
    [
      'OKX: positions move in legs',
      'okx',
      okx('account/move-positions', {
        fromAcct: '0',
        toAcct: 'x',
        legs: [{ from: { posId: '1', sz: '1000', side: 'sell' }, to: {} }],
        clientId: 'a',
        ccy: 'USDT',
        amt: '1',
      }),
      move('transfer', 'USDT', '1'),
    ],
    [
      'OKX: stakes stand in investData',
      'okx',
      okx('finance/staking-defi/purchase', {
        productId: '1',
        investData: [{ ccy: 'BTC', amt: '100' }],
        ccy: 'USDT',
        amt: '1',
      }),
      move('transfer', 'USDT', '1'),
    ],
    [
      'OKX: a loan',
      'okx',
      okx('finance/flexible-loan/borrow', {
        borrowCcy: 'USDT',
        borrowAmt: '1000000',
        collateral: [],
        instId: 'BTC-USDT',
      }),
      market('BTC-USDT'),
    ],
    [
      'OKX: a stake',
      'okx',
      okx('finance/staking-defi/eth/purchase', { amt: '100', instId: 'BTC-USDT' }),
      market('BTC-USDT'),
    ],
    [
      'OKX: every order is cancelled later',
      'okx',
      okx('trade/cancel-all-after', { timeOut: '10', instId: 'BTC-USDT' }),
      market('BTC-USDT'),
    ],
    [
      'OKX: the order is known by its id',
      'okx',
      okx('trade/cancel-order', { instId: 'BTC-USDT', ordId: '1' }),
      market('BTC-USDT'),
    ],
    [
      'Kraken: the strategy decides the asset',
      'kraken',
      kraken('Earn/Allocate', 'strategy_id=BTCSTRAT&amount=100&asset=USDC'),
      move('transfer', 'USDC', '100'),
    ],
    [
      'Kraken: every order is cancelled',
      'kraken',
      kraken('CancelAll', 'pair=XBTUSD&type=buy&volume=0.01'),
      order('XBTUSD', '0.01'),
    ],
    [
      'Kraken: the order is known by its id',
      'kraken',
      kraken('EditOrder', 'txid=OTHER&pair=XBTUSD&volume=0.01'),
      { ...market('XBTUSD'), amount: { max: '0.01' } },
    ],
    [
      'Deribit: every order is cancelled',
      'deribit',
      deribit('cancel_all', 'instrument_name=BTC_USDC-PERPETUAL&side=buy&amount=10'),
      order('BTC_USDC-PERPETUAL', '10'),
    ],
    [
      'Deribit: the order is known by its id',
      'deribit',
      deribit('edit', 'order_id=ETH-1&amount=10&price=1'),
      { operationClasses: ['trade'], amount: { max: '10' } },
    ],
    [
      'Deribit: in combinations too',
      'deribit',
      deribit('cancel_all_by_instrument', 'instrument_name=BTC-PERPETUAL&include_combos=true'),
      market('BTC-PERPETUAL'),
    ],
    [
      'Kraken Futures: every order is cancelled later',
      'kraken_futures',
      futures('cancelallordersafter', 'timeout=1&symbol=PF_XBTUSD&side=buy&size=1'),
      order('PF_XBTUSD', '1'),
    ],
    [
      'Kraken Futures: a symbol that the holder of the signature may drop',
      'kraken_futures',
      futures('cancelallorders', 'symbol=PF_XBTUSD'),
      market('PF_XBTUSD'),
    ],
    [
      'Kraken Futures: an amendment in a batch is known by its id',
      'kraken_futures',
      futures(
        'batchorder',
        'json={"batchOrder":[{"order":"edit","order_id":"X","size":1,"symbol":"PF_XBTUSD","side":"buy"}]}',
      ),
      order('PF_XBTUSD', '1'),
    ],
    [
      'Gate: the order is known by its id',
      'gate',
      gate('DELETE', 'futures/usdt/orders/1', 'contract=BTC_USDT'),
      market('BTC_USDT'),
    ],
    [
      'Gate: all positions change their mode',
      'gate',
      gate('POST', 'futures/usdt/dual_mode', 'dual_mode=true&contract=BTC_USDT'),
      market('BTC_USDT'),
    ],
  ];

  it.each(decoys)('%s', (_name, venueId, request, when) => {
    expect(['refused', 'fails', 'error']).toContain(tryRule(venueId, request, when));
  });

  it('still has its class: a rule on class and endpoint holds', () => {
    const request = okx('trade/cancel-all-after', { timeOut: '10' });
    const when: Conditions = {
      operationClasses: ['cancel'],
      endpoints: ['POST /api/v5/trade/cancel-all-after'],
    };
    expect(tryRule('okx', request, when)).toBe('holds');
    const staked = okx('finance/staking-defi/purchase', { productId: '1', investData: [] });
    expect(tryRule('okx', staked, { operationClasses: ['transfer'] })).toBe('holds');
  });

  it('denies by a rule that would have to look at it, whatever stands there', () => {
    const request = okx('account/set-position-mode', { posMode: 'net_mode' });
    for (const when of [
      market('BTC-USDT'),
      { amount: { max: '1' } },
      { sides: ['buy' as const] },
    ]) {
      expect(tryRule('okx', request, when)).toBe('error');
    }
  });
});

describe('what is worth a rule can be bound still', () => {
  const honest: readonly Case[] = [
    ['OKX order', 'okx', okx('trade/order', OKX_ORDER), order('BTC-USDT', '0.01')],
    [
      'OKX withdrawal',
      'okx',
      okx('asset/withdrawal', {
        ccy: 'BTC',
        amt: '1',
        dest: '4',
        toAddr: 'x',
        chain: 'BTC-Bitcoin',
      }),
      move('withdraw', 'BTC', '1'),
    ],
    [
      'OKX transfer',
      'okx',
      okx('asset/transfer', { ccy: 'BTC', amt: '1', from: '6', to: '18' }),
      move('transfer', 'BTC', '1'),
    ],
    [
      'Kraken order',
      'kraken',
      kraken('AddOrder', 'pair=XBTUSD&type=buy&ordertype=market&volume=0.01&oflags=post&otp=1'),
      order('XBTUSD', '0.01'),
    ],
    [
      'Kraken withdrawal',
      'kraken',
      kraken('Withdraw', 'asset=XBT&key=cold&amount=1'),
      move('withdraw', 'XBT', '1'),
    ],
    [
      'Kraken Futures order',
      'kraken_futures',
      futures('sendorder', 'orderType=mkt&symbol=PF_XBTUSD&side=buy&size=1'),
      order('PF_XBTUSD', '1'),
    ],
    [
      'Kraken Futures batch',
      'kraken_futures',
      futures(
        'batchorder',
        'json={"batchOrder":[{"order":"send","symbol":"PF_XBTUSD","side":"buy","size":1}]}',
      ),
      order('PF_XBTUSD', '1'),
    ],
    ...['BTC_USDC-PERPETUAL', 'BTC_USDC', 'BTC-25MAR26-90000-C', 'XRP_USDC-30JUN26-0d625-P'].map(
      (name): Case => [
        `Deribit order for ${name}`,
        'deribit',
        deribit('buy', `instrument_name=${name}&amount=1&type=market`),
        order(name, '1'),
      ],
    ),
    [
      'Deribit withdrawal',
      'deribit',
      deribit('withdraw', 'currency=BTC&address=x&amount=1'),
      move('withdraw', 'BTC', '1'),
    ],
    [
      'Bitfinex batch',
      'bitfinex',
      bitfinex('order/multi', {
        ops: [['on', { type: 'EXCHANGE LIMIT', symbol: 'tBTCUSD', amount: '0.001', price: '1' }]],
      }),
      order('tBTCUSD', '0.001'),
    ],
    [
      'Gate cancellation in one market',
      'gate',
      gate('DELETE', 'futures/usdt/orders', 'contract=BTC_USDT&side=bid'),
      market('BTC_USDT'),
    ],
    [
      'Gate leverage',
      'gate',
      gate('POST', 'futures/usdt/positions/BTC_USDT/leverage', 'leverage=5'),
      market('BTC_USDT'),
    ],
  ];

  it.each(honest)('%s', (_name, venueId, request, when) => {
    expect(tryRule(venueId, request, when)).toBe('holds');
  });
});
