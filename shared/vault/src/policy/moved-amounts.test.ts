import { describe, expect, it } from '@jest/globals';
import type { Movement } from '@countersign/chains/solana-movements.js';
import { findOwnFault, findSlip } from '../checks/own-faults.js';
import { amountMoved } from './moved-amounts.js';
import { askedOf, testContent } from './asked-conditions.js';
import type { SigningFacts } from './signing-policy.js';
import { NO_LIMIT_REACHED, testVelocity } from './velocity.js';
import type { Rule, RuleConditions, User } from '../state/state.js';

const NOBODYS = {} as SigningFacts;
const SOL = 'solana-mainnet/sol';
const USDC = 'solana-mainnet/usdc';
const moving = (...parts: readonly (readonly [asset: string, amount: bigint])[]) => ({
  movements: parts.map(([asset, amount]): Movement => ({
    ...{ assets: [asset], destination: 'there', amount },
  })),
});

describe('how much of an asset is moved', () => {
  it('is the exact sum of all movements of it, in whole coins', () => {
    const facts = moving([SOL, 1n], [USDC, 5n], [SOL, 1_999_999_999n]);
    expect(amountMoved([SOL], facts)).toEqual({ result: 'moved', amount: '2.000000000' });
    expect(amountMoved([USDC], facts)).toEqual({ result: 'moved', amount: '0.000005' });
    const most = 2n ** 64n - 1n;
    expect(amountMoved([SOL], moving([SOL, most], [SOL, most]))).toEqual({
      result: 'moved',
      amount: '36893488147.419103230',
    });
  });

  it('is nothing of what is not moved, and of several assets, or of none that is named', () => {
    const facts = moving([SOL, 1n]);
    for (const assets of [[USDC], [SOL, USDC], [], undefined]) {
      expect(amountMoved(assets, facts)).toEqual({ result: 'none' });
    }
  });

  it('cannot be told of what nobody reads, or whose decimals nobody knows', () => {
    const unread = { ...moving([SOL, 1n]), unread: 'instruction 1' };
    expect(amountMoved([SOL], unread)).toEqual({ result: 'error', reason: 'instruction 1' });
    const mint = 'solana-mainnet/Mint111';
    expect(amountMoved([mint], moving([mint, 1n])).result).toBe('error');
  });
});

describe('a rule about a transaction', () => {
  const rule = (when: RuleConditions, then: Rule['then'] = 'allow') =>
    ({ id: 'r', displayName: 'r', enabled: true, when, then }) satisfies Rule;
  const resultOf = (when: RuleConditions, facts: ReturnType<typeof moving>, then?: Rule['then']) =>
    testContent(
      rule(when, then),
      askedOf(
        { ...NOBODYS, transaction: facts },
        () => ({ result: 'none' }),
        () => undefined,
      ),
    ).result;
  const atMost = (max: string) => ({ assets: [SOL], amount: { max } });

  it('can be written: with an amount, of one asset', () => {
    const fault = (when: RuleConditions) => findSlip(rule(when)) ?? findOwnFault(rule(when), []);
    const amount = { max: '1' };
    for (const when of [{ assets: [SOL] }, { assets: [SOL], networks: ['solana-mainnet'] }, {}]) {
      expect(fault({ ...when, initiators: 'anyone', amount })).toBeUndefined();
    }
    for (const when of [{ assets: [SOL, USDC] }, { networks: ['solana-mainnet'] }]) {
      expect(fault({ ...when, initiators: 'anyone', amount })).toBe(
        'can never match: a venue request has no network and no assets, and of a transaction amount bounds the one that assets names',
      );
    }
  });

  it('is not taken for one that an earlier rule on venue requests decides', () => {
    const ofVenues = rule({ initiators: 'anyone', amount: { max: '9' } });
    const small = rule({ initiators: 'anyone', ...atMost('1') });
    expect(findOwnFault(small, [ofVenues])).toBeUndefined();
    expect(findOwnFault(small, [rule({ initiators: 'anyone', ...atMost('2') })])).toContain(
      'decides every such',
    );
  });

  it('bounds the sum, not each part', () => {
    const two = moving([SOL, 1_000_000_000n], [SOL, 1_000_000_000n]);
    expect(resultOf(atMost('2'), two)).toBe('holds');
    expect(resultOf(atMost('1.999999999'), two)).toBe('fails');
    expect(resultOf({ assets: [SOL], amount: { min: '2' } }, two, 'deny')).toBe('holds');
    expect(resultOf({ amount: { max: '9' } }, two)).toBe('fails');
    expect(resultOf({ assets: [SOL, USDC], amount: { max: '9' } }, two)).toBe('fails');
    // what it does not name is not covered
    expect(resultOf(atMost('9'), moving([SOL, 1n], [USDC, 1n]))).toBe('fails');
  });

  it('counts it against a limit', () => {
    const velocity = { limit: '3', unit: 'amount', windowS: 60, per: 'wallet' } as const;
    const claimOf = (facts: ReturnType<typeof moving>, assets = [SOL], limit = '3') =>
      testVelocity(
        rule({ assets, velocity: { ...velocity, limit } }),
        'group',
        { initiator: { id: 'u' } as User, walletId: 'w', transaction: facts },
        NO_LIMIT_REACHED,
      );
    const two = moving([SOL, 1_500_000_000n], [SOL, 1n]);
    expect(claimOf(two)).toMatchObject({ result: 'holds', claim: { amount: '1.500000001' } });
    const because =
      '1.500000001 asked for, 1.5 amount allowed in 60 s: it is more than the whole limit';
    expect(claimOf(two, [SOL], '1.5')).toEqual({ result: 'fails', because });
    expect(claimOf(two, [SOL, USDC])).toEqual({ result: 'fails' });
    expect(claimOf(two, [USDC])).toEqual({ result: 'fails' });
    expect(claimOf({ ...two, ...{ unread: 'x' } })).toMatchObject({ result: 'error' });
  });
});
