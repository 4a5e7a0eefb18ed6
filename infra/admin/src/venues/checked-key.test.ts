/** Answers as the venues document them. */
import { describe, expect, it } from '@jest/globals';
import { areOwnHeaders, CHECKABLE_VENUES, warningsAbout, type CheckedKey } from './checked-key.js';

const NOW = Date.UTC(2026, 10, 26);
const DAY = 86_400_000;
const read = (venue: string, answer: unknown) => CHECKABLE_VENUES[venue]!.read(answer);

const BINANCE = {
  ipRestrict: false,
  createTime: 1698645219000,
  enableReading: true,
  enableWithdrawals: false,
  enableInternalTransfer: false,
  enableMargin: false,
  enableFutures: false,
  permitsUniversalTransfer: true,
  enableVanillaOptions: false,
  enableFixApiTrade: false,
  enableFixReadOnly: true,
  enableSpotAndMarginTrading: false,
  enablePortfolioMarginTrading: true,
};

/** A documented field each, with no address bound. */
const BYBIT = {
  retCode: 0,
  retMsg: '',
  result: {
    id: '13770661',
    note: 'readwrite api key',
    apiKey: 'XXXXXX',
    readOnly: 0,
    secret: '',
    permissions: {
      ContractTrade: ['Order', 'Position'],
      Spot: ['SpotTrade'],
      Wallet: ['AccountTransfer', 'SubMemberTransfer', 'Withdraw'],
      Options: [],
      Derivatives: ['DerivativesTrade'],
      CopyTrading: [],
      BlockTrade: [],
      Exchange: [],
      NFT: [],
      Affiliate: [],
      Earn: [],
    },
    ips: ['*'],
    type: 1,
    deadlineDay: 83,
    expiredAt: '2026-12-05T03:21:05Z',
    createdAt: '2022-10-16T02:24:40Z',
    unified: 0,
    uta: 1,
    userID: 24617703,
    isMaster: true,
    parentUid: '0',
  },
};

const OKX = {
  code: '0',
  msg: '',
  data: [{ acctLv: '2', ip: '', label: 'v5 test', perm: 'read_only,withdraw,trade', type: '0' }],
};

describe('what a key may do is read from the answer', () => {
  it('of Binance, which does not say which addresses', () => {
    expect(read('binance', { ...BINANCE, tradingAuthorityExpirationTime: NOW })).toEqual({
      permissions: [
        ...['enableReading', 'permitsUniversalTransfer', 'enableFixReadOnly'],
        'enablePortfolioMarginTrading',
      ],
      canWithdraw: false,
      addresses: 'anywhere',
      expiresAt: NOW,
    });
    const bound = read('binance', { ...BINANCE, ipRestrict: true, enableWithdrawals: true });
    expect(bound).toMatchObject({ canWithdraw: true, addresses: 'unlisted', expiresAt: undefined });
  });

  it('of Bybit', () => {
    expect(read('bybit', BYBIT)).toEqual({
      permissions: [
        ...['read and write', 'ContractTrade.Order', 'ContractTrade.Position', 'Spot.SpotTrade'],
        ...['Wallet.AccountTransfer', 'Wallet.SubMemberTransfer', 'Wallet.Withdraw'],
        'Derivatives.DerivativesTrade',
      ],
      canWithdraw: true,
      addresses: 'anywhere',
      expiresAt: Date.parse('2026-12-05T03:21:05Z'),
    });
    const bound = { ips: ['203.0.113.7'], deadlineDay: -2, expiredAt: '1970-01-01T00:00:00Z' };
    const result = { ...BYBIT.result, readOnly: 1, ...bound };
    expect(read('bybit', { ...BYBIT, result })).toMatchObject({
      ...{ canWithdraw: false, addresses: ['203.0.113.7'], expiresAt: undefined },
    });
  });

  it('of OKX', () => {
    expect(read('okx', OKX)).toEqual({
      permissions: ['read_only', 'withdraw', 'trade'],
      canWithdraw: true,
      addresses: 'anywhere',
    });
    const data = [{ ip: '203.0.113.7,203.0.113.8', perm: 'read_only' }];
    expect(read('okx', { ...OKX, data })).toMatchObject({
      ...{ canWithdraw: false, addresses: ['203.0.113.7', '203.0.113.8'] },
    });
  });

  it.each<[string, unknown]>([
    ['binance', { code: -2015, msg: 'Invalid API-key, IP, or permissions for action.' }],
    ['binance', { ...BINANCE, ipRestrict: 'false' }],
    ['bybit', { retCode: 10003, retMsg: 'API key is invalid.', result: {} }],
    ['bybit', { ...BYBIT, result: { ...BYBIT.result, expiredAt: 'soon' } }],
    ['okx', { code: '50111', msg: 'Invalid OK-ACCESS-KEY', data: [] }],
    ['okx', { ...OKX, data: [{ ip: '' }] }],
    ['okx', null],
  ])('and never guessed: %s, %j', (venue, answer) => {
    expect(() => read(venue, answer)).toThrow();
  });
});

describe('headers from a gateway', () => {
  it.each([
    ['binance', 'X-MBX-APIKEY'],
    ['bybit', 'X-BAPI-SIGN'],
    ['okx', 'OK-ACCESS-SIGN'],
  ])("of %s are the venue's own alone", (venue, name) => {
    const of = CHECKABLE_VENUES[venue]!;
    expect(areOwnHeaders(of, { [name]: 'x' })).toBe(true);
    for (const other of ['host', 'x-http-method-override', `x-${name}`]) {
      expect(areOwnHeaders(of, { [name]: 'x', [other]: 'POST' })).toBe(false);
    }
  });
});

describe('a warning', () => {
  const fine: CheckedKey = { permissions: [], canWithdraw: false, addresses: 'unlisted' };
  const about = (more: Partial<CheckedKey>) => warningsAbout({ ...fine, ...more }, NOW);

  it('is given of none that is bound to addresses, cannot withdraw and does not end soon', () => {
    expect(about({})).toEqual([]);
    expect(about({ addresses: ['203.0.113.7'], expiresAt: NOW + 14 * DAY })).toEqual([]);
  });

  it.each<[string, Partial<CheckedKey>, RegExp]>([
    ['may withdraw', { canWithdraw: true }, /may withdraw/],
    ['may be used from anywhere', { addresses: 'anywhere' }, /any address/],
    ['ends within a fortnight', { expiresAt: NOW + 14 * DAY - 1 }, /expires in 14 days/],
    ['has ended', { expiresAt: NOW }, /has expired/],
  ])('is given of one that %s', (_what, more, text) => {
    expect(about(more)).toEqual([expect.stringMatching(text)]);
  });
});
