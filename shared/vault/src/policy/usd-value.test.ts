import { describe, expect, it } from '@jest/globals';
import type { VenueFacts } from '@countersign/venues/engine/venue-facts.js';
import { EMPTY_STATE, type Rule, type RuleConditions, type User } from '../state/state.js';
import { insertRow } from '../state/table.js';
import { decideSigning, type SigningFacts } from './signing-policy.js';
import { usdValueOf, type Prices } from './usd-value.js';

const AT = 1_000;
const LISTED: Readonly<Record<string, string>> = { BTC: '100000', USDT: '0.99', SOL: '200' };

const prices: Prices = {
  priceOf(asset) {
    const price = LISTED[asset];
    return price === undefined
      ? { unpriced: `there is no price of ${asset}` }
      : { asset, price, at: AT, relay: 'one' };
  },
};

const order: VenueFacts = {
  venueId: 'binance',
  operationClass: 'trade',
  endpoint: 'POST /api/v3/order',
  symbols: ['BTCUSDT'],
  sides: ['buy'],
  amounts: ['0.5'],
  quoteAmounts: [],
  contracts: [],
  undecidable: [],
  binds: [],
};
const none = { amounts: [], quoteAmounts: [] };
const valueOf = (change: Partial<VenueFacts>) =>
  usdValueOf({ venue: { ...order, ...change }, prices });

describe('what a venue request is worth', () => {
  it.each<[string, Partial<VenueFacts>, string]>([
    ['an order by size, at the price of the base asset', {}, '50000'],
    ['an order by cost, at the price of the quote asset', { ...none, quoteAmounts: ['100'] }, '99'],
    ['a batch in one market, added up', { amounts: ['0.5', '0.25'] }, '75000'],
    ['both units, added up', { amounts: ['1'], quoteAmounts: ['10'] }, '100009.9'],
    [
      'what is withdrawn, at the price of the coin',
      { operationClass: 'withdraw', symbols: ['SOL'], sides: [], amounts: ['3'] },
      '600',
    ],
    [
      'dollars, which need no price',
      { venueId: 'coinbase_exchange', symbols: ['BTC-USD'], ...none, quoteAmounts: ['7'] },
      '7',
    ],
  ])('%s', (_what, change, value) => {
    expect(valueOf(change)).toMatchObject({ result: 'valued', value });
  });

  it('names the prices that it took, each once', () => {
    const found = valueOf({ amounts: ['1', '1'], quoteAmounts: ['10'] });
    expect(found).toMatchObject({
      prices: [
        { asset: 'BTC', price: '100000', at: AT, relay: 'one' },
        { asset: 'USDT', price: '0.99', at: AT, relay: 'one' },
      ],
    });
  });

  it.each<[string, Partial<VenueFacts>, RegExp]>([
    ['an order without a size', none, /states no size/],
    ['a number of contracts', { ...none, contracts: ['1'] }, /contracts/],
    ['a size beside a number of contracts', { contracts: ['1'] }, /contracts/],
    ['a size that nobody can compare', { undecidable: ['amount'] }, /cannot be compared/],
    ['a market that nobody can compare', { undecidable: ['symbols'] }, /cannot be compared/],
    ['several markets', { symbols: ['BTCUSDT', 'SOLUSDT'] }, /one market or coin/],
    ['no market', { symbols: [] }, /one market or coin/],
    ['a market that could be two', { venueId: 'gemini', symbols: ['btcgusd'] }, /for certain/],
    // `WBTC` is a coin that is staked, and no market of `W` in BTC
    ['a coin where a market is looked for', { symbols: ['WBTC'], sides: [] }, /for certain/],
    ['a venue whose markets are not known', { venueId: 'kraken_futures' }, /for certain/],
    ['a login', { operationClass: 'session' }, /class session/],
    ['an unknown request', { operationClass: 'unknown' }, /class unknown/],
    ['a body that is not signed', { venueId: 'coinbase_advanced' }, /body/],
    ['a size beyond all bounds', { amounts: ['9'.repeat(40)] }, /too large/],
  ])('is told by nobody: %s', (_what, change, reason) => {
    expect(valueOf(change)).toEqual({
      result: 'error',
      reason: expect.stringMatching(reason) as unknown,
    });
  });

  it('has no price where one of its assets has none', () => {
    expect(valueOf({ symbols: ['ETHUSDT'] })).toEqual({
      result: 'unpriced',
      reason: 'there is no price of ETH',
    });
    expect(usdValueOf({ venue: order }).result).toBe('unpriced');
  });

  it.each(['read', 'cancel', 'key_admin'] as const)('is nothing for a %s', (operationClass) => {
    expect(valueOf({ operationClass })).toEqual({ result: 'none' });
  });
});

describe('what a transaction is worth', () => {
  const sol = (amount: bigint) => ({
    assets: ['solana-mainnet/sol'],
    destination: 'x',
    amount,
  });
  const usdc = { assets: ['solana-mainnet/usdc', 'solana-mainnet/EPj'], destination: 'x' };
  const ofMovements = (...movements: Parameters<typeof sum>[0]) => sum(movements);
  const sum = (movements: readonly { assets: string[]; destination: string; amount: bigint }[]) =>
    usdValueOf({ transaction: { movements }, prices });

  it('is the sum of all movements, by the decimals of the catalogue', () => {
    expect(ofMovements(sol(1_500_000_000n), sol(1n))).toMatchObject({ value: '300.0000002' });
  });

  it('is told by nobody where a part cannot be read, or an asset is in no list', () => {
    const unread = { movements: [sol(1n)], unread: 'instruction 2' };
    expect(usdValueOf({ transaction: unread, prices })).toMatchObject({ result: 'error' });
    for (const assets of [[], ['solana-mainnet/SomeToken'], ['nowhere/sol'], ['sol']]) {
      const found = ofMovements(sol(1n), { assets, destination: 'x', amount: 5n });
      expect(found).toMatchObject({ result: 'error' });
    }
  });

  it('has no price where one of its assets has none, and is nothing where nothing moves', () => {
    expect(ofMovements({ ...usdc, amount: 5n })).toMatchObject({ result: 'unpriced' });
    expect(ofMovements()).toEqual({ result: 'none' });
  });
});

describe('a rule on what a request is worth', () => {
  const STAMPS = { createdAt: 0, createdBy: 'x', lastUpdatedAt: 0, lastUpdatedBy: 'x' };
  const facts: SigningFacts = {
    operation: 'sign',
    initiator: { id: 'u1', userGroupIds: [] } as unknown as User,
    receivedAt: 0,
    venueId: 'binance',
    keyId: 'k1',
    venue: order,
    prices,
  };
  const rule = (when: RuleConditions, then: Rule['then'] = 'allow'): Rule => ({
    id: JSON.stringify(when),
    displayName: 'x',
    enabled: true,
    when: { initiators: 'anyone', ...when },
    then,
  });

  function decide(rules: readonly Rule[], change: Partial<SigningFacts> = {}) {
    const policy = {
      ...STAMPS,
      id: 'p',
      displayName: 'p',
      securityGroupId: 'g',
      version: 1,
      rules,
    };
    const members = [{ id: 'k1', type: 'key' as const }];
    const group = { ...STAMPS, id: 'g', displayName: 'g', vaultIds: null, members };
    const state = {
      ...EMPTY_STATE,
      signingPolicies: insertRow(EMPTY_STATE.signingPolicies, policy),
      securityGroups: insertRow(EMPTY_STATE.securityGroups, { ...group, signingPolicyIds: ['p'] }),
    };
    return decideSigning(state, 'k1', { ...facts, ...change });
  }

  const free = rule({});

  it('holds within its bounds, which are inclusive, and not beyond', () => {
    const outcome = (max: string) => decide([rule({ usdValue: { max } })]).outcome;
    expect(outcome('50000')).toBe('allow');
    expect(outcome('49999.99')).toBe('deny');
    expect(decide([rule({ usdValue: { min: '50000.01' } }, 'deny'), free]).outcome).toBe('allow');
    expect(decide([rule({ usdValue: { min: '50000' } }, 'deny'), free]).outcome).toBe('deny');
  });

  it('denies what nobody can value, and what has no price: it never falls through', () => {
    const rules = [rule({ usdValue: { max: '1' } }), free];
    const unpriced = { ...facts.venue!, symbols: ['ETHUSDT'] };
    const sizeless = { ...facts.venue!, amounts: [] };
    for (const change of [{ venue: unpriced }, { venue: sizeless }, { prices: undefined }]) {
      const { outcome, reason, trace } = decide(rules, change);
      expect({ outcome, asked: trace.length }).toEqual({ outcome: 'deny', asked: 1 });
      expect(reason).toMatch(/cannot be evaluated: usd_value: /);
    }
    const velocity = { limit: '9', unit: 'usd', windowS: 60, per: 'key' } as const;
    expect(decide([rule({ velocity }), free], { venue: unpriced }).reason).toMatch(/velocity: /);
  });

  it('does not match what moves nothing, and the next rule is tried', () => {
    const venue = { ...order, operationClass: 'read' as const };
    const { outcome, trace } = decide([rule({ usdValue: { max: '1' } }), free], { venue });
    expect({ outcome, failed: trace[0]!.failedCondition }).toEqual({
      outcome: 'allow',
      failed: 'usd_value',
    });
  });

  it('counts its worth against a limit in USD', () => {
    const velocity = { limit: '60000', unit: 'usd', windowS: 60, per: 'key' } as const;
    const { claim, valued } = decide([rule({ velocity })]);
    expect(claim).toMatchObject({ amount: '50000', limit: '60000' });
    expect(valued).toMatchObject({ value: '50000' });
    const small = { ...velocity, limit: '49999' };
    expect(decide([rule({ velocity: small })]).outcome).toBe('deny');
  });

  it('asks for no price where no rule does', () => {
    const watched: Prices = {
      priceOf() {
        throw new Error('asked');
      },
    };
    const { outcome, valued } = decide([free], { prices: watched });
    expect({ outcome, valued }).toEqual({ outcome: 'allow', valued: undefined });
  });

  it('is left to the parties by whoever does not decide and has no price, and only then', () => {
    const left: Prices = { priceOf: () => ({ unpriced: 'none here' }), isLeftToParties: true };
    const cheap = rule({ usdValue: { max: '1' } });
    expect(decide([cheap], { prices: left }).outcome).toBe('allow');
    expect(decide([rule({ usdValue: { min: '1' } }, 'deny'), free], { prices: left }).outcome).toBe(
      'allow',
    );
    // a price that is known says no at once, and so does what nobody could value
    expect(decide([cheap], { prices: { ...prices, isLeftToParties: true } }).outcome).toBe('deny');
    const sizeless = { ...facts.venue!, amounts: [] };
    expect(decide([cheap], { prices: left, venue: sizeless }).outcome).toBe('deny');
  });
});
