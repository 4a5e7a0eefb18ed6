/**
 * The tables against ccxt's endpoint lists: whatever there sounds like funds on the move is in the
 * table, and as that. An endpoint that a new ccxt knows fails here until somebody has looked at it.
 */
import { describe, expect, test } from '@jest/globals';
import { BACKPACK } from '@countersign/venues/backpack.js';
import { BITFINEX } from '@countersign/venues/bitfinex.js';
import { BITGET } from '@countersign/venues/bitget.js';
import { COINBASE_ADVANCED } from '@countersign/venues/coinbase-advanced.js';
import { COINBASE_EXCHANGE } from '@countersign/venues/coinbase-exchange.js';
import { DERIBIT } from '@countersign/venues/deribit.js';
import { GATE } from '@countersign/venues/gate.js';
import { GEMINI } from '@countersign/venues/gemini.js';
import { KUCOIN } from '@countersign/venues/kucoin.js';
import type { Venue, VenueKey } from '@countersign/venues/engine/venue.js';
import { ccxtClass, loadCcxt, signWithCcxt } from '../support/ccxt-signing.ts';
import { classOf, restRequest } from '../support/venue-checks.ts';

interface Listed {
  readonly api: readonly string[];
  readonly method: string;
  readonly path: string;
}

/** ccxt's lists: groups, then the method, then the paths (with their costs, or in a list). */
function listedBy(exchange: string): readonly Listed[] {
  return listedUnder(new (ccxtClass(exchange))().api, []);
}

function listedUnder(node: object, groups: readonly string[]): readonly Listed[] {
  return Object.entries(node).flatMap(([name, below]: [string, unknown]) => {
    if (typeof below !== 'object' || below === null) return [];
    if (!['get', 'post', 'put', 'delete', 'patch'].includes(name)) {
      return listedUnder(below, [...groups, name]);
    }
    const paths = Array.isArray(below) ? (below as string[]) : Object.keys(below);
    return paths.map((path) => ({ api: groups, method: name.toUpperCase(), path }));
  });
}

const SOUNDS_LIKE_FUNDS = /withdraw|transfer|send|push|move_funds/i;

const PLACEHOLDERS = {
  currency: 'btc',
  ticker: 'btc',
  network: 'bitcoin',
  settle: 'usdt',
  accountMode: 'unified',
};

/** What only sounds like it: histories and previews, position margin, travel rules, rights. */
const HARMLESS: Readonly<Record<string, readonly string[]>> = {
  deribit: ['get_transfers', 'get_withdrawals'],
  bitfinex: ['auth/r/ext/wallets/transfers/free/count'],
  gemini: [
    'v1/transfers',
    'v2/transfers',
    'v1/withdraw/{currencyCodeLowerCase}/feeEstimate',
    'v2/withdraw/{network}/{ticker}/feeEstimate',
  ],
  kucoin: ['margin/withdrawMargin', 'copy-trade/futures/position/margin/withdraw-margin'],
  coinbaseexchange: ['transfers/{transfer_id}/travel-rules'],
};

const VENUES: readonly (readonly [exchange: string, Venue, VenueKey['type']])[] = [
  ['coinbase', COINBASE_ADVANCED, 'ed25519'],
  ['coinbaseexchange', COINBASE_EXCHANGE, 'hmac'],
  ['deribit', DERIBIT, 'hmac'],
  ['bitfinex', BITFINEX, 'hmac'],
  ['gate', GATE, 'hmac'],
  ['kucoin', KUCOIN, 'hmac'],
  ['bitget', BITGET, 'hmac'],
  ['gemini', GEMINI, 'hmac'],
  ['backpack', BACKPACK, 'ed25519'],
];

await loadCcxt(...VENUES.map(([exchange]) => exchange));

describe.each(VENUES)('%s', (exchange, venue, type) => {
  const listed = listedBy(exchange).filter(
    ({ api, method, path }) =>
      !api.includes('public') &&
      (method !== 'GET' || exchange === 'deribit') &&
      SOUNDS_LIKE_FUNDS.test(path),
  );

  test('ccxt lists some', () => {
    expect(listed.length).toBeGreaterThan(0);
  });

  test.each(listed.map((row) => [`${row.method} ${row.path}`, row] as const))('%s', (_, row) => {
    const names = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
    const params = Object.fromEntries(
      names.map((name) => [name, Reflect.get(PLACEHOLDERS, name) ?? 'a1']),
    );
    const call = { ...row, exchange, api: row.api.length === 1 ? row.api[0]! : row.api, params };
    const key = { apiKey: 'account-organizations/', secret: secretOf(exchange), password: 'p' };
    const { path } = signWithCcxt({ ...call, ...key, at: 0 });
    const request = restRequest(`${row.method} ${path}`);
    const operationClass = classOf(venue, request, { type, apiKey: 'a' });
    if (HARMLESS[exchange]?.includes(row.path) === true) {
      expect(['read', 'trade', 'unknown']).toContain(operationClass);
    } else {
      expect(['transfer', 'withdraw', 'key_admin']).toContain(operationClass);
    }
  });
});

/** Base64 of 64 bytes, as an Ed25519 key needs; any text does for the others. */
function secretOf(exchange: string): string {
  return ['coinbase', 'backpack'].includes(exchange)
    ? Buffer.alloc(64, 1).toString('base64')
    : 'c2VjcmV0c2VjcmV0';
}
