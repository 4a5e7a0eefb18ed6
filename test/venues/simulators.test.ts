/** ccxt with a secret of its own, and no vault, trades at the simulated venues: what checks itself proves nothing. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  LAB_VENUES,
  findLabVenue,
  openLabVenue,
} from '../../workshop/dist/lab/catalogue/lab-venues.js';
import { decimal } from '../../workshop/dist/lab/exchange/exact-decimal.js';
import type {
  SimulatedVenue,
  VenueAccount,
  WireRequest,
} from '../../workshop/dist/lab/venues/simulated-venue.js';
import { ccxtClass, loadCcxt } from '../support/ccxt-signing.ts';
import { rsaTestKey } from '../support/rsa-test-keys.ts';
import { SESSIONS } from '../support/simulated-sessions.ts';
import { trade, type TradingExchange } from '../support/trading-session.ts';

/** What each venue says to a wrong signature, and to a time or a nonce of the past. */
const REFUSALS: Readonly<Record<string, { signature: RegExp; time: RegExp }>> = {
  binance: { signature: /-1022/, time: /-1021/ },
  bybit: { signature: /10004/, time: /10002/ },
  okx: { signature: /50113/, time: /50102/ },
  kraken: { signature: /EAPI:Invalid signature/, time: /EAPI:Invalid nonce/ },
  deribit: { signature: /13009/, time: /13009/ },
  coinbase_advanced: { signature: /Unauthorized/, time: /Unauthorized/ },
};

const STILL = () => decimal('50000');

beforeAll(() => loadCcxt(...LAB_VENUES.map(({ ccxt }) => ccxt)), 120_000);

/** No wire is quicker, and ccxt's nonces are milliseconds: a request that is made twice within one is a replay. */
async function nextMillisecond(): Promise<void> {
  const now = Date.now();
  while (Date.now() === now) await setImmediate();
}

/** A fetch that reaches the simulator without a wire. */
function fetchFrom(venue: SimulatedVenue) {
  return async (url: string, init: { method: string; headers: object; body?: string }) => {
    const { pathname, search } = new URL(url);
    const headers = Object.entries(init.headers).map(([name, value]) => [
      name.toLowerCase(),
      String(value),
    ]);
    const target = url.slice(new URL(url).origin.length).split('?');
    expect(target[0]).toBe(pathname);
    const { status, body } = venue.handle({
      method: init.method,
      path: target[0]!,
      query: search === '' ? '' : target.slice(1).join('?'),
      headers: Object.fromEntries(headers) as Record<string, string>,
      body: init.body ?? '',
    });
    await nextMillisecond();
    const answer = { status, headers: { 'content-type': 'application/json' } };
    return new Response(JSON.stringify(body), answer);
  };
}

/** As the venue would hand it out, or as its customer would make it. */
function keyAt(id: string) {
  const { secret: form, hasPassphrase } = findLabVenue(id);
  const passphrase = hasPassphrase === true ? 'a passphrase' : undefined;
  if (form === 'text' || form === 'base64') {
    const secret =
      form === 'text' ? randomBytes(32).toString('hex') : randomBytes(64).toString('base64');
    return { name: 'desk', apiKey: 'LabApiKey', secret, ccxtSecret: secret, passphrase };
  }
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  if (form === 'generated') {
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    return { name: 'desk', apiKey: 'LabApiKey', publicKey, ccxtSecret: pem, passphrase };
  }
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const ccxtSecret = Buffer.concat([seed, raw]).toString('base64');
  return {
    name: 'desk',
    apiKey: 'organizations/lab/apiKeys/desk',
    publicKey,
    ccxtSecret,
    passphrase,
  };
}

type DeskKey = VenueAccount & { readonly ccxtSecret: string };

function openDesk(id: string, options: object = {}, key: DeskKey = keyAt(id)) {
  const { ccxtSecret, passphrase, ...account } = key;
  const venue = openLabVenue(findLabVenue(id), [{ ...account, passphrase }], { prices: STILL });
  const Exchange = ccxtClass(findLabVenue(id).ccxt);
  const exchange = new Exchange({
    apiKey: account.apiKey,
    secret: ccxtSecret,
    password: passphrase,
    enableRateLimit: false,
    fetchImplementation: fetchFrom(venue),
    options,
  });
  // two of ccxt's own nonces are one where they fall into the same millisecond
  let nonce = Date.now();
  if (id === 'kraken') Object.assign(exchange, { nonce: () => ++nonce });
  return { venue, exchange: exchange as unknown as TradingExchange };
}

describe.each(Object.entries(SESSIONS))(
  'ccxt with its own secret at %s',
  (_name, { venueId, options, ...session }) => {
    test('trades', async () => {
      const { exchange, venue } = openDesk(venueId, options);
      await trade(exchange, session);
      const balance = await exchange.fetchBalance();
      const quote = session.symbol.split(/[/:]/)[1]!;
      const booked = venue.exchange.balances('desk').find(({ asset }) => asset === quote)!;
      expect(BigInt(Math.round(balance[quote]!.total! * 1e8))).toBe(booked.free + booked.held);
    }, 60_000);

    test('with a wrong secret is refused, and with a clock that is late', async () => {
      const { exchange } = openDesk(venueId, options);
      await exchange.loadMarkets();
      const keys = exchange as unknown as { secret: string };
      const right = keys.secret;
      keys.secret = keyAt(venueId).ccxtSecret;
      await expect(exchange.fetchBalance()).rejects.toThrow(REFUSALS[venueId]!.signature);
      keys.secret = right;
      await exchange.fetchBalance();
      const past = Date.now() - 200_000;
      Object.assign(exchange, {
        milliseconds: () => past,
        seconds: () => Math.floor(past / 1000),
        nonce: () => past,
      });
      await expect(exchange.fetchBalance()).rejects.toThrow(REFUSALS[venueId]!.time);
    }, 60_000);
  },
);

describe('a withdrawal with the venue’s own secret', () => {
  test.each(Object.entries(SESSIONS))(
    'leaves %s',
    async (_name, { venueId, withdrawal }) => {
      const { exchange, venue } = openDesk(venueId);
      await exchange.loadMarkets();
      const btc = () => venue.exchange.balances('desk').find(({ asset }) => asset === 'BTC')!.free;
      const before = btc();
      const address = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';
      await exchange.withdraw('BTC', 0.5, address, undefined, withdrawal);
      expect(before - btc()).toBe(decimal('0.5'));
    },
    60_000,
  );
});

describe('other keys', () => {
  test('Binance takes an HMAC secret as well', async () => {
    const secret = randomBytes(32).toString('hex');
    const { exchange } = openDesk(
      'binance',
      {},
      { name: 'desk', apiKey: 'a', secret, ccxtSecret: secret },
    );
    await trade(exchange, SESSIONS['Binance spot']!);
  }, 60_000);

  test.each(['binance', 'bybit'])(
    '%s takes an RSA key',
    async (id) => {
      const { privateKey, publicKey } = rsaTestKey('2048');
      const ccxtSecret = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
      const { exchange } = openDesk(id, {}, { name: 'desk', apiKey: 'a', publicKey, ccxtSecret });
      await exchange.loadMarkets();
      expect((await exchange.fetchBalance())['USDT']!.total).toBe(200_000);
    },
    60_000,
  );
});

test('a request is changed nowhere on its way without the venue noticing', async () => {
  const { venue, exchange } = openDesk('okx');
  await exchange.loadMarkets();
  const seen: WireRequest[] = [];
  const recording = {
    ...venue,
    handle: (request: WireRequest) => {
      seen.push(request);
      return venue.handle(request);
    },
  };
  Object.assign(exchange, { fetchImplementation: fetchFrom(recording) });
  Object.assign(exchange, { fetchImplementationLoading: undefined });
  await exchange.createOrder('BTC/USDT', 'limit', 'buy', 0.01, 45_000);
  const [order] = seen;
  const cheaper = { ...order!, body: order!.body.replace('45000', '45001') };
  expect(venue.handle(order!)).toMatchObject({ body: { code: '1' } }); // taken again, as OKX would: its id is in use
  expect(venue.handle(cheaper)).toMatchObject({ status: 401, body: { code: '50113' } });
});
