/** What the ledger takes of velocity limits. */
import { describe, expect, it } from '@jest/globals';
import { createLedgerBuilder } from '../support/ledger-builder.js';
import { makeReadingKey } from '../support/venue-reading-key.js';

describe('a policy with a limit', () => {
  const velocity = { limit: '10', unit: 'amount', window_s: 60, per: 'key' };
  const create = (when: object, then = 'allow') => {
    const ledger = createLedgerBuilder();
    makeReadingKey(ledger, 'binance');
    const groupId = [...ledger.state.securityGroups.rows.values()][0]!.id;
    return ledger.sendUnchecked(ledger.admin, 'POST', '/v1/signing-policies', {
      display_name: 'x',
      security_group_id: groupId,
      rules: [
        {
          display_name: 'x',
          when: {
            initiators: { user_ids: [ledger.admin.id] },
            operation_classes: ['trade'],
            symbols: ['LTCBTC'],
            ...when,
          },
          then,
        },
      ],
    });
  };

  it('is taken', () => {
    expect(create({ velocity })).toMatchObject({ refusal: undefined });
  });

  it('counts what transactions move of one asset, and of no more', () => {
    const wallets = { velocity, symbols: undefined, operation_classes: undefined };
    const of = (...assets: string[]) => create({ ...wallets, assets }).refusal;
    expect(of('solana-mainnet/sol')).toBeUndefined();
    expect(of('solana-mainnet/sol', 'solana-mainnet/usdc')).toMatchObject({
      refused: 'invalid_inputs',
    });
    const inQuote = { ...wallets, velocity: { ...velocity, unit: 'quote_amount' } };
    expect(create({ ...inQuote, assets: ['solana-mainnet/sol'] }).refusal).toBeDefined();
  });

  it.each([
    ['of a rule that denies', { velocity }, 'deny'],
    ['on amounts without symbols', { velocity, symbols: undefined }, 'allow'],
    ['of half a request', { velocity: { ...velocity, unit: 'count', limit: '1.5' } }, 'allow'],
    ['without a window', { velocity: { ...velocity, window_s: 0 } }, 'allow'],
    ['longer than 31 days', { velocity: { ...velocity, window_s: 2_678_401 } }, 'allow'],
    ['below zero', { velocity: { ...velocity, limit: '-1' } }, 'allow'],
    ['of an unknown unit', { velocity: { ...velocity, unit: 'eur' } }, 'allow'],
  ])('is refused when it is %s', (_what, when, then) => {
    expect(create(when, then)).toMatchObject({ refusal: { refused: 'invalid_inputs' } });
  });
});
