/** ccxt's own WebSocket logins, by a secret of its own and without a vault, at the simulated venues. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { findLabVenue, openLabVenue } from '../../workshop/dist/lab/catalogue/lab-venues.js';
import { decimal } from '../../workshop/dist/lab/exchange/exact-decimal.js';
import type { VenueAccount } from '../../workshop/dist/lab/venues/simulated-venue.js';
import { ccxtClass, loadCcxt } from '../support/ccxt-signing.ts';

interface Login {
  /** ccxt's name of the exchange. */
  readonly ccxt: string;
  readonly path: string;
  /** What asks for something of the account. */
  readonly question: object;
  /** Before a login, and after one that failed. */
  readonly unknown: object;
  readonly refused: object;
  /** The last that is heard after a login. */
  readonly told: object;
}

const LOGINS: Readonly<Record<string, Login>> = {
  okx: {
    ccxt: 'pro/okx',
    path: '/ws/v5/private',
    question: { op: 'subscribe', args: [{ channel: 'account' }] },
    unknown: { event: 'error', code: '60011' },
    refused: { event: 'error', code: '60007' },
    told: { arg: { channel: 'account' }, data: [{ details: expect.any(Array) }] },
  },
  bybit: {
    ccxt: 'pro/bybit',
    path: '/v5/private',
    question: { op: 'subscribe', args: ['wallet'] },
    unknown: { success: false, op: 'subscribe' },
    refused: { success: false, op: 'auth' },
    told: { topic: 'wallet', data: [{ accountType: 'UNIFIED' }] },
  },
  deribit: {
    ccxt: 'pro/deribit',
    path: '/ws/api/v2',
    question: { id: 1, method: 'private/subscribe', params: { channels: ['user.portfolio.BTC'] } },
    unknown: { error: { code: 13009 } },
    refused: { error: { code: 13004 } },
    told: { method: 'subscription', params: { data: { currency: 'BTC', equity: 5 } } },
  },
};

const STILL = () => decimal('50000');

beforeAll(() => loadCcxt('pro/okx', 'pro/bybit', 'pro/deribit', 'pro/coinbase'), 60_000);

const account = (secret: string): VenueAccount => ({
  name: 'desk',
  apiKey: 'LabApiKey',
  secret,
  passphrase: 'a passphrase',
});

/** The message by which ccxt would log in, `now` by its clock. */
async function loginMessage(ccxt: string, secret: string, now = Date.now()): Promise<object> {
  let login: object | undefined;
  const Base = ccxtClass(ccxt);
  const exchange = new Base({ apiKey: 'LabApiKey', secret, password: 'a passphrase' });
  Object.assign(exchange, {
    milliseconds: () => now,
    seconds: () => Math.floor(now / 1000),
    watch: async (_url: string, _hash: string, message: object) => {
      login = message;
    },
  });
  const { authenticate } = exchange as unknown as { authenticate(url: string): Promise<unknown> };
  // what ccxt waits for never comes
  void authenticate.call(exchange, 'wss://stream.bybit.com/v5/private');
  while (login === undefined) await new Promise((resolve) => setImmediate(resolve));
  return login;
}

describe.each(Object.entries(LOGINS))('%s', (venueId, { ccxt, path, question, ...words }) => {
  const secret = randomBytes(32).toString('hex');
  const open = () => {
    const venue = openLabVenue(findLabVenue(venueId), [account(secret)], { prices: STILL });
    const socket = venue.openSocket!(path)!;
    return { venue, say: (message: object) => socket.receive(JSON.stringify(message)) };
  };

  test('a login opens the account, and nothing else does', async () => {
    const { say } = open();
    expect(say(question)).toMatchObject([words.unknown]);
    const wrong = await loginMessage(ccxt, randomBytes(32).toString('hex'));
    expect(say(wrong)).toMatchObject([words.refused]);
    expect(say(question)).toMatchObject([words.unknown]);
    expect(say(await loginMessage(ccxt, secret))).not.toMatchObject([words.refused]);
    expect(say(question).at(-1)).toMatchObject(words.told);
  });

  test.each([-200_000, 200_000])('one that is %i ms off is none', async (off) => {
    // Bybit's login says until when it is good, and none is too far off
    if (venueId === 'bybit' && off > 0) return;
    const { say } = open();
    say(await loginMessage(ccxt, secret, Date.now() + off));
    expect(say(question)).toMatchObject([words.unknown]);
  });

  test('one connection opens no other, and another path none', async () => {
    const { venue, say } = open();
    say(await loginMessage(ccxt, secret));
    const other = venue.openSocket!(path)!;
    expect(other.receive(JSON.stringify(question))).toMatchObject([words.unknown]);
    expect(venue.openSocket!('/elsewhere')).toBeUndefined();
  });
});

test('Deribit takes a login once', async () => {
  const secret = randomBytes(32).toString('hex');
  const venue = openLabVenue(findLabVenue('deribit'), [account(secret)], { prices: STILL });
  const login = JSON.stringify(await loginMessage('pro/deribit', secret));
  const answers = [1, 2].map(() => venue.openSocket!('/ws/api/v2')!.receive(login));
  expect(answers).toMatchObject([[{ result: {} }], [{ error: { code: 13004 } }]]);
});

describe('coinbase_advanced', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const apiKey = 'organizations/lab/apiKeys/desk';
  const secret = Buffer.concat([seed, raw]).toString('base64');
  const lab = findLabVenue('coinbase_advanced');
  const desk = { name: 'desk', apiKey, publicKey };
  const say = (auth: object, accounts: readonly VenueAccount[] = [desk]) => {
    const venue = openLabVenue(lab, accounts, { prices: STILL });
    const message = { type: 'subscribe', channel: 'user', product_ids: ['BTC-USD'], ...auth };
    return venue.openSocket!('/')!.receive(JSON.stringify(message));
  };

  interface Signing {
    createAuthToken(seconds: number, method?: string, url?: string, isEdDsa?: boolean): string;
  }

  // ccxt's own WebSockets know P-256 keys alone; its token for Ed25519 keys is the same, but for its place
  test('each subscription brings its token, which is no token of a request', () => {
    const exchange = new (ccxtClass('pro/coinbase'))({ apiKey, secret }) as unknown as Signing;
    const now = Math.floor(Date.now() / 1000);
    const token = (seconds: number, ...place: [string, string] | []) =>
      exchange.createAuthToken(seconds, place[0], place[1], true);
    const jwt = token(now);
    expect(say({ jwt }).at(-1)).toMatchObject({ channel: 'user', events: [{ type: 'snapshot' }] });
    const refused = [{ type: 'error', message: 'authentication failure' }];
    expect(say({})).toEqual(refused);
    const other = generateKeyPairSync('ed25519').publicKey;
    expect(say({ jwt }, [{ ...desk, publicKey: other }])).toEqual(refused);
    expect(say({ jwt: token(now - 200) })).toEqual(refused);
    const ofRequest = token(now, 'GET', 'api.coinbase.com/api/v3/brokerage/accounts');
    expect(say({ jwt: ofRequest })).toEqual(refused);
  });
});
