/** The relay: what it takes from its sources, what it makes of it, and what it signs. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeSignedSnapshot } from '@countersign/core/price-snapshot.js';
import { verifyEd25519 } from '@countersign/core/ed25519.js';
import { ConfigError } from '@countersign/runtime/process/config.js';
import { createLogger } from '@countersign/runtime/process/logger.js';
import { agreedPrices } from './agreed-prices.js';
import { createPriceRelay } from './price-relay.js';
import { readSource } from './read-source.js';
import { readRelaySources, type PriceSource, type RelaySources } from './relay-sources.js';

const NOW = Date.now();
const folder = mkdtempSync(join(tmpdir(), 'price-relay-'));
let server: Server;
let url: string;
let answer: { status: number; body: string; location?: string };

beforeAll(async () => {
  server = createServer((_request, response) => {
    const { status, body, location } = answer;
    response.writeHead(status, location === undefined ? {} : { location }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function fileWith(text: string, at = NOW): string {
  const file = join(folder, 'source.json');
  writeFileSync(file, text);
  utimesSync(file, at / 1_000, at / 1_000);
  return file;
}

const paths = { BTC: '/rates/0/usd', ETH: '/a~1b' };
const ofFile = (text: string, at?: number): PriceSource => ({
  type: 'file',
  name: 'f',
  file: fileWith(text, at),
  prices: paths,
  max_age_s: 60,
});
const ofHttp = (more: object = {}): PriceSource =>
  ({ type: 'http', name: 'h', url, prices: paths, max_age_s: 60, ...more }) as PriceSource;

describe('a source', () => {
  it('is read by JSON pointers, its numbers as they are written', async () => {
    const text = '{"rates":[{"usd":100000.10000000000000000001}],"a/b":"4000.5"}';
    const expected = [
      ['BTC', '100000.10000000000000000001'],
      ['ETH', '4000.5'],
    ];
    expect([...(await readSource(ofFile(text), NOW))]).toEqual(expected);
    answer = { status: 200, body: text };
    expect([...(await readSource(ofHttp(), NOW))]).toEqual(expected);
  });

  it.each(['0', '-1', '1e5', '"NaN"', 'null', '""', '{}', '"1,5"'])(
    'has no price where it says %s',
    async (said) => {
      expect((await readSource(ofFile(`{"a/b":${said}}`), NOW)).size).toBe(0);
    },
  );

  it('that is too old is not heard: by the change of a file, by what an answer says', async () => {
    await expect(readSource(ofFile('{}', NOW - 61_000), NOW)).rejects.toThrow('too old');
    const time = { pointer: '/at', unit: 's' };
    const asked = async (at: unknown) => {
      answer = { status: 200, body: JSON.stringify({ at, 'a/b': 5 }) };
      return (await readSource(ofHttp({ time }), NOW)).get('ETH');
    };
    expect(await asked(Math.floor(NOW / 1_000) - 50)).toBe('5');
    await expect(asked(Math.floor(NOW / 1_000) - 62)).rejects.toThrow('too old');
    await expect(asked(undefined)).rejects.toThrow('it does not state its time');
  });

  it.each<[string, typeof answer]>([
    ['fails', { status: 500, body: '{}' }],
    ['sends elsewhere', { status: 302, body: '', location: 'http://127.0.0.1:1/' }],
    ['answers no JSON', { status: 200, body: '<html>' }],
    ['says a name twice', { status: 200, body: '{"a/b":1,"a/b":2}' }],
    ['answers without end', { status: 200, body: ' '.repeat(5 * 1024 * 1024) }],
  ])('that %s says nothing', async (_what, given) => {
    answer = given;
    await expect(readSource(ofHttp(), NOW)).rejects.toThrow();
  });
});

describe('several sources', () => {
  const limits = { needed: 2, maxSpreadBps: 200 };
  const said = (...prices: string[]) => prices.map((price) => new Map([['BTC', price]]));

  it('agree on the median, and of two on the higher', () => {
    expect(agreedPrices(said('101', '100', '102'), limits).prices.get('BTC')).toBe('101');
    expect(agreedPrices(said('100', '101'), limits).prices.get('BTC')).toBe('101');
  });

  it('have no price of what they diverge on, and of what too few of them speak', () => {
    expect(agreedPrices(said('100', '100', '103'), limits)).toEqual({
      prices: new Map(),
      left: [{ asset: 'BTC', reason: 'diverging' }],
    });
    const lonely = [...said('100', '100'), new Map([['ETH', '1']])];
    expect(agreedPrices(lonely, limits)).toEqual({
      prices: new Map([['BTC', '100']]),
      left: [{ asset: 'ETH', reason: 'too few' }],
    });
  });
});

describe('the relay', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const source = (name: string): PriceSource => ({ ...ofFile('{}'), name });
  const sources: RelaySources = {
    relay: 'one',
    every_s: 1,
    sources_needed: 1,
    max_spread_bps: 200,
    sources: [source('good'), source('broken')],
  };

  it('signs what those say that answer, each time with a later time', async () => {
    const published: Buffer[] = [];
    const relay = createPriceRelay({
      sources,
      privateKey,
      read: async ({ name }) => {
        if (name === 'broken') throw new Error('broken');
        return new Map([['BTC', '100']]);
      },
      publish: async (snapshot) => published.push(snapshot),
      logger: createLogger('test', 'silent'),
      now: () => NOW,
    });
    await relay.relay();
    await relay.relay();
    const [first, second] = published.map(decodeSignedSnapshot);
    expect(verifyEd25519(raw, first!.message, first!.signature)).toBe(true);
    expect(first!.snapshot).toEqual({
      relay: 'one',
      at: NOW,
      sources: ['good'],
      prices: new Map([['BTC', '100']]),
    });
    expect(second!.snapshot.at).toBe(NOW + 1);
  });
});

describe('the file of sources', () => {
  const read = (value: unknown) => readRelaySources(fileWith(JSON.stringify(value)));
  const source = { name: 'x', type: 'http', url: 'https://example.com/p', prices: { BTC: '/b' } };
  const whole = { relay: 'one', sources_needed: 1, sources: [source] };

  it('is read with what is not stated', () => {
    expect(read(whole)).toMatchObject({ every_s: 5, max_spread_bps: 200 });
  });

  it.each<[string, object, RegExp]>([
    ['a source without TLS on another host', { url: 'http://example.com/p' }, /https/],
    ['a password in an address', { url: 'https://a:b@example.com/p' }, /https/],
    ['a pointer that is none', { prices: { BTC: 'b' } }, /pointer/],
    ['an asset in lower case', { prices: { btc: '/b' } }, /prices\.btc/],
    ['no prices', { prices: {} }, /where a price is/],
    ['another kind', { type: 'static' }, /type/],
  ])('is refused with %s', (_what, change, message) => {
    const act = () => read({ ...whole, sources: [{ ...source, ...change }] });
    expect(act).toThrow(ConfigError);
    expect(act).toThrow(message);
  });

  it('is refused where it needs more sources than it has, or names one twice', () => {
    expect(() => read({ ...whole, sources_needed: 2 })).toThrow(/more than there are/);
    expect(() => read({ ...whole, sources: [source, source] })).toThrow(/twice/);
  });
});
