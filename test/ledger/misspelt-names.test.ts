/** Symbols and assets that nobody writes so, refused when a rule is written, where this release knows better. */
import { describe, expect, it } from '@jest/globals';
import { CATALOGUES } from '@countersign/vault/catalogues/todays-catalogues.js';
import { findMisspeltAsset, findMisspeltSymbol } from '@countersign/vault/checks/misspelt-names.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import { stateHash } from '@countersign/vault/state/state-hash.js';
import type { Rule, RuleConditions } from '@countersign/vault/state/state.js';
import { createLedgerBuilder } from '../support/ledger-builder.ts';
import { makeVenueKey } from '../support/venue-reading-key.ts';

const ruleOf = (when: Partial<RuleConditions>) =>
  ({ id: 'r', displayName: 'r', enabled: true, when, then: 'allow' }) as Rule;
const ofSymbol = (symbol: string, venueIds: string[], more: Partial<RuleConditions> = {}) =>
  findMisspeltSymbol(ruleOf({ symbols: [symbol], ...more }), venueIds, CATALOGUES);
const ofAsset = (asset: string, networks?: string[]) => {
  const { state } = createLedgerBuilder();
  return findMisspeltAsset(state, ruleOf({ assets: [asset], networks }), CATALOGUES);
};

describe('a symbol', () => {
  it.each([
    ['BTC/USDT', 'okx', 'BTC-USDT'],
    ['BTCUSDT', 'okx', 'BTC-USDT'],
    ['btc_usdt', 'okx', 'BTC-USDT'],
    ['BTC/USDT', 'binance', 'BTCUSDT'],
    ['BTC-USDT', 'bybit', 'BTCUSDT'],
    ['BTC-USDT', 'gate', 'BTC_USDT'],
    ['BTCUSDT', 'kucoin', 'BTC-USDT'],
    ['BTC/USD', 'coinbase_exchange', 'BTC-USD'],
    ['XBT-USD', 'kraken', 'XBT/USD'],
    ['BTC/USD', 'bitfinex', 'tBTCUSD'],
    ['AVAX/USD', 'bitfinex', 'tAVAX:USD'],
    ['BTC/USDT', 'bitfinex', 'tBTCUST'],
    ['BTCUSDC', 'backpack', 'BTC_USDC'],
  ])('%s is none at %s: it is told that %s is', (symbol, venueId, near) => {
    const text = `symbols: no request ever states ${symbol}: write ${near} at ${venueId}`;
    expect(ofSymbol(symbol, [venueId])).toBe(text);
  });

  it.each([
    ...['BTC-USDT', 'btc-usdt', 'BTC-USDT-SWAP', 'BTC-USD-251226-50000-C', 'USDT', 'FDUSD'].map(
      (symbol) => [symbol, 'okx'],
    ),
    ...['BTCUSDT', 'BTCUSD_PERP', 'BTCUSDT_261225', 'BTC-261225-50000-C', 'BTC'].map((symbol) => [
      symbol,
      'binance',
    ]),
    ...['BTCUSDT', 'BTCPERP', 'BTC-26DEC25', 'SOLUSDT_SOL/USDT'].map((symbol) => [symbol, 'bybit']),
    ...['XBTUSD', 'XBT/USD', 'XXBTZUSD', 'XBTUSDT', 'ETH2.S'].map((symbol) => [symbol, 'kraken']),
    ...['tBTCUSD', 'tAVAX:USD', 'TAVAX:USD', 'tBTCF0:USTF0', 'UST'].map((symbol) => [
      symbol,
      'bitfinex',
    ]),
    ...['BTC-USDT', 'XBTUSDTM', 'XBTUSDM'].map((symbol) => [symbol, 'kucoin']),
    ...['BTC_USDT', 'BTC_USDT_20251226', 'BTC_USDT-20251226-50000-C'].map((symbol) => [
      symbol,
      'gate',
    ]),
    ...['BTC-PERPETUAL', 'BTC_USDC', 'BTC_USDC-PERPETUAL', 'BTC-25DEC26'].map((symbol) => [
      symbol,
      'deribit',
    ]),
    ['btcusd', 'gemini'],
    ['btcusdt', 'gemini'],
    ['BTC_USDC_PERP', 'backpack'],
    ['PF_XBTUSD', 'kraken_futures'],
    ['BTC/USDT', 'kraken_futures'],
    ['BTC/USDT', 'a_venue_of_ones_own'],
  ])('%s may be one at %s', (symbol, venueId) => {
    expect(ofSymbol(symbol!, [venueId!])).toBeUndefined();
  });

  it('may be right at one of several venues', () => {
    expect(ofSymbol('BTC-USDT', ['binance', 'okx'])).toBeUndefined();
    expect(ofSymbol('BTC/USDT', ['okx', 'a_venue_of_ones_own'])).toBeUndefined();
    expect(ofSymbol('BTC/USDT', [])).toBeUndefined();
    expect(ofSymbol('BTC/USDT', ['okx', 'binance'])).toMatch(
      /BTC-USDT at okx, BTCUSDT at binance$/,
    );
  });

  it('of what is moved is a coin, whose name may end as it likes', () => {
    expect(ofSymbol('AUSDT', ['okx'], { operationClasses: ['withdraw'] })).toBeUndefined();
    expect(ofSymbol('BTC/USDT', ['okx'], { operationClasses: ['withdraw'] })).toBeDefined();
  });
});

describe('an asset', () => {
  it.each([
    ['SOL', 'solana-mainnet/sol'],
    ['sol', 'solana-mainnet/sol'],
    ['solana-mainnet/SOL', 'solana-mainnet/sol'],
    ['solana/sol', 'solana-mainnet/sol'],
    ['Solana-Mainnet/sol', 'solana-mainnet/sol'],
  ])('%s is told the near word', (asset, near) => {
    expect(ofAsset(asset)).toMatch(new RegExp(`^assets: ${asset} is no .*: write ${near}$`));
  });

  it('of several networks is told those that the rule names', () => {
    expect(ofAsset('USDC', ['solana-mainnet'])).toMatch(/: write solana-mainnet\/usdc$/);
    expect(ofAsset('USDC')).toMatch(/: write \S+\/usdc or \S+\/usdc/);
  });

  it('that nobody knows is refused without a network, and may be a contract with one', () => {
    expect(ofAsset('DOGE')).toMatch(/of a known network$/);
    expect(ofAsset('nowhere/doge')).toMatch(/of a known network$/);
    const mint = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263';
    expect(ofAsset(`solana-mainnet/${mint}`)).toBeUndefined();
    expect(ofAsset('solana-mainnet/sol')).toBeUndefined();
  });
});

describe('a rule with a name that nobody writes so', () => {
  const rules = (symbol: string) => {
    const when = { initiators: 'anyone', operation_classes: ['trade'], symbols: [symbol] };
    return [{ display_name: 'trade', when, then: 'allow' }];
  };

  it('is refused before it is appended, and by no fold: the next release may know better', () => {
    const ledger = createLedgerBuilder();
    const { policyId } = makeVenueKey(ledger, 'okx', rules('BTC-USDT'));
    const { securityGroupId } = ledger.state.signingPolicies.rows.get(policyId)!;
    const body = {
      display_name: 'other',
      security_group_id: securityGroupId,
      rules: rules('BTC/USDT'),
    };
    const evidence = ledger.evidenceOf(ledger.admin, 'POST', '/v1/signing-policies', body);
    expect(ledger.send(ledger.admin, 'POST', '/v1/signing-policies', body).refusal).toMatchObject({
      refused: 'invalid_inputs',
      message: 'rules.0: symbols: no request ever states BTC/USDT: write BTC-USDT at okx',
    });
    expect(ledger.appendEvidence(evidence).refusal).toBeUndefined();
    const fold = createFold({ keys: ledger.keys });
    fold.advance(ledger.rows);
    expect(stateHash(fold.view.state)).toBe(stateHash(ledger.state));
  });
});
