/** The four headers: what they prove, in which order they are checked, and what each fault is told as. */
import { createHash, randomBytes, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { transcriptDigest } from '@countersign/core/transcript.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  rawExchange,
  rawRequest,
  sendRaw,
  signedHeaders,
  type AuthHeaders,
  type RawResponse,
  type SignedParts,
} from './support/raw-http.ts';
import { openTestRedis } from './support/restart-redis.ts';
import {
  eventually,
  expectOk,
  newMachineKey,
  openTestVault,
  PATIENT,
  type TestUser,
  type TestVault,
} from './support/test-vault.ts';

const INVALID = 'the credentials are not valid';
const REPLAYED = 'the nonce was used before';
const STALE = /more than 5 minutes .* check your clock/;
const WINDOW_MS = 5 * 60_000;

let vault: TestVault;
let bot: TestUser;
beforeAll(async () => {
  vault = await openTestVault();
  bot = await vault.createMachine();
}, 60_000);
afterAll(() => vault?.close(), 60_000);

type HeaderList = [string, string][];

/** Sends parts and headers as they are, however little they belong together. */
function deliver(
  { method = 'GET', target, body }: SignedParts,
  headers: AuthHeaders | HeaderList,
): Promise<RawResponse> {
  const list: HeaderList = [...(Array.isArray(headers) ? headers : Object.entries(headers))];
  if (body !== undefined) list.push(['content-type', 'application/json']);
  return sendRaw(
    vault.baseUrl,
    rawRequest({ method, target, headers: list, ...(body !== undefined && { body }) }),
  );
}

function expectUnauthorized(response: RawResponse, text: string | RegExp = INVALID): void {
  expect({ status: response.status, body: response.body }).toEqual({
    status: 401,
    body: {
      err_type: 'unauthorized',
      err_msg: typeof text === 'string' ? text : expect.stringMatching(text),
    },
  });
}

const WRONG_FORM = 'is not 64 bytes in base64url without padding';

/** The credential was right: told is what the server read of the request that was delivered, and no secret. */
function expectWrongAssertion(
  response: RawResponse,
  { method = 'GET', target, body = '' }: SignedParts,
  fault = 'is no signature of this request',
): void {
  const [path = '', ...rest] = target.split('?');
  const bytes = Buffer.from(String(body), 'latin1');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  expectUnauthorized(
    response,
    `x-request-assertion ${fault}; what this server read: method "${method}", path "${path}", ` +
      `query "${rest.join('?')}", body of ${bytes.length} bytes with SHA-256 ${sha256}; ` +
      'and the credential, timestamp and nonce of their headers',
  );
}

function expectMalformed(response: RawResponse): void {
  expect(response).toMatchObject({ status: 400, body: { err_type: 'parse_error' } });
}

const littleEndian = (value: bigint) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes.toString('hex');
};

/** A write that a user without rights is refused only after authentication: 403, and no effect. */
const write = (): SignedParts => ({
  method: 'POST',
  target: '/v1/vaults',
  body: JSON.stringify({ display_name: 'a vault' }),
});
const signed = (parts: SignedParts) => signedHeaders(bot.credential, parts);

describe('the transcript', () => {
  interface Vector {
    name: string;
    method: string;
    path: string;
    query: string;
    body_hex: string | null;
    body_repeat?: { byte_hex: string; count: number };
    credential: string;
    timestamp_ms: string;
    timestamp_header: string;
    nonce_header: string;
    sha256_hex: string;
  }
  const { cases } = JSON.parse(
    readFileSync(new URL('vectors/transcript.json', import.meta.url), 'utf8'),
  ) as { cases: Vector[] };

  it.each(cases.map((vector) => [vector.name, vector] as const))(
    'has the digest of the vector: %s',
    (_name, vector) => {
      const { byte_hex: byte = '', count = 0 } = vector.body_repeat ?? {};
      expect(littleEndian(BigInt(vector.timestamp_ms))).toBe(vector.timestamp_header);
      const digest = transcriptDigest({
        method: vector.method,
        path: vector.path,
        query: vector.query,
        body: Buffer.from(vector.body_hex ?? byte.repeat(count), 'hex'),
        credential: vector.credential,
        timestampMs: Number(vector.timestamp_ms),
        nonce: Buffer.from(vector.nonce_header, 'hex'),
      });
      expect(digest.toString('hex')).toBe(vector.sha256_hex);
    },
  );

  const field = fc.string({ maxLength: 12 });
  const fields = fc.record({
    method: field,
    path: field,
    query: field,
    body: fc.uint8Array({ maxLength: 12 }),
    credential: field,
    timestampMs: fc.nat(),
    nonce: fc.uint8Array({ minLength: 8, maxLength: 8 }),
  });

  it('of two different requests is never the same', () => {
    const plain = (value: { body: Uint8Array; nonce: Uint8Array }) =>
      JSON.stringify({ ...value, body: [...value.body], nonce: [...value.nonce] });
    fc.assert(
      fc.property(fields, fields, (a, b) => {
        fc.pre(plain(a) !== plain(b));
        expect(transcriptDigest(a).equals(transcriptDigest(b))).toBe(false);
      }),
    );
  });

  it('keeps fields apart: bytes moved across a border change the digest', () => {
    fc.assert(
      fc.property(fields, fc.nat(11), (a, at) => {
        fc.pre(a.path.length > at);
        const moved = { ...a, path: a.path.slice(0, at), query: a.path.slice(at) + a.query };
        expect(transcriptDigest(moved).equals(transcriptDigest(a))).toBe(false);
      }),
    );
  });
});

describe('a signature covers the whole request', () => {
  const flipBit = (text: string, at: number, bit = 0) =>
    text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << bit)) + text.slice(at + 1);
  const flipHex = (hex: string, bit: number) => {
    const bytes = Buffer.from(hex, 'hex');
    bytes[bit >> 3]! ^= 1 << (bit & 7);
    return bytes.toString('hex');
  };

  it('is accepted when nothing was changed', async () => {
    const parts = write();
    expect((await deliver(parts, signed(parts))).status).toBe(403);
  });

  it('another method is 401', async () => {
    const target = `/v1/users/${bot.id}`;
    const headers = signed({ method: 'PUT', target, body: '{}' });
    const sent = { method: 'GET', target, body: '{}' };
    expectWrongAssertion(await deliver(sent, headers), sent);
  });

  it('one bit of the path is 401', async () => {
    const target = '/v1/users/00000000-0000-8000-8000-000000000000';
    const headers = signed({ method: 'PUT', target, body: '{}' });
    for (let at = '/v1/users/'.length; at < target.length; at += 5) {
      const spoilt = { method: 'PUT', target: flipBit(target, at), body: '{}' };
      expectWrongAssertion(await deliver(spoilt, headers), spoilt);
    }
  });

  it('one bit of the query is 401', async () => {
    const target = '/v1/users?display_name_like=abc';
    const headers = signed({ target });
    for (let at = target.length - 3; at < target.length; at++) {
      const spoilt = { target: flipBit(target, at) };
      expectWrongAssertion(await deliver(spoilt, headers), spoilt);
    }
  });

  it('one bit of the body is 401, wherever it is', async () => {
    const parts = write();
    const headers = signed(parts);
    const body = String(parts.body);
    for (let at = 0; at < body.length; at++) {
      const spoilt = { ...parts, body: flipBit(body, at, at % 7) };
      expectWrongAssertion(await deliver(spoilt, headers), spoilt);
    }
  });

  it('a body more, less or empty is 401', async () => {
    const parts = write();
    const headers = signed(parts);
    for (const body of ['', `${String(parts.body)} `, String(parts.body).slice(1)]) {
      expectWrongAssertion(await deliver({ ...parts, body }, headers), { ...parts, body });
    }
  });

  it('one bit of the API key is 401', async () => {
    const parts = write();
    const headers = signed(parts);
    const at = headers['authorization']!.length - 1;
    const authorization = flipBit(headers['authorization']!, at);
    expectUnauthorized(await deliver(parts, { ...headers, authorization }));
  });

  it.each(['x-request-nonce', 'x-request-timestamp'])('one bit of %s is 401', async (name) => {
    const parts = write();
    const headers = signed(parts);
    for (let bit = 0; bit < 64; bit += 3) {
      const response = await deliver(parts, { ...headers, [name]: flipHex(headers[name]!, bit) });
      if (/check your clock/.test(response.text)) expectUnauthorized(response, STALE);
      else expectWrongAssertion(response, parts);
    }
  });

  it('one bit of the assertion is 401, whichever it is', async () => {
    const parts = write();
    const headers = signed(parts);
    const assertion = Buffer.from(headers['x-request-assertion']!, 'base64url');
    for (let bit = 0; bit < 512; bit += 5) {
      const spoilt = Buffer.from(flipHex(assertion.toString('hex'), bit), 'hex');
      expectWrongAssertion(
        await deliver(parts, { ...headers, 'x-request-assertion': spoilt.toString('base64url') }),
        parts,
      );
    }
  });

  it('an assertion with the group order added to its scalar is 401', async () => {
    const parts = write();
    const headers = signed(parts);
    const assertion = Buffer.from(headers['x-request-assertion']!, 'base64url');
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    let scalar =
      order + BigInt(`0x${Buffer.from(assertion.subarray(32)).reverse().toString('hex')}`);
    for (let at = 32; at < 64; at++, scalar >>= 8n) assertion[at] = Number(scalar & 255n);
    expectWrongAssertion(
      await deliver(parts, { ...headers, 'x-request-assertion': assertion.toString('base64url') }),
      parts,
    );
  });

  it('bytes moved between path and query, or between query and body, are 401', async () => {
    const target = '/v1/users/freeze?user_ids=ab';
    const headers = signed({ method: 'POST', target, body: 'cd' });
    for (const [moved, body] of [
      ['/v1/users/freeze?user_ids=abc', 'd'],
      ['/v1/users/freeze?user_ids=a', 'bcd'],
      ['/v1/users/freeze?', 'user_ids=abcd'],
    ] as const) {
      const sent = { method: 'POST', target: moved, body };
      expectWrongAssertion(await deliver(sent, headers), sent);
    }
    const read = signed({ target: '/v1/users/ab?c' });
    const sent = { target: '/v1/users/a?bc' };
    expectWrongAssertion(await deliver(sent, read), sent);
  });

  it('two headers with their values exchanged are 401', async () => {
    const parts = write();
    const headers = signed(parts);
    const exchanged = {
      ...headers,
      'x-request-nonce': headers['x-request-timestamp']!,
      'x-request-timestamp': headers['x-request-nonce']!,
    };
    expectUnauthorized(await deliver(parts, exchanged), STALE);
  });

  it('an assertion over the transcript itself, or over its hex, is 401', async () => {
    const parts = write();
    const headers = signed(parts);
    const digest = transcriptDigest({
      method: 'POST',
      path: parts.target,
      query: '',
      body: Buffer.from(String(parts.body)),
      credential: bot.credential.apiKey,
      timestampMs: Number(Buffer.from(headers['x-request-timestamp']!, 'hex').readBigUInt64LE()),
      nonce: Buffer.from(headers['x-request-nonce']!, 'hex'),
    });
    for (const message of [Buffer.from(digest.toString('hex')), Buffer.alloc(0)]) {
      const assertion = sign(null, message, bot.credential.privateKey).toString('base64url');
      const spoilt = { ...headers, 'x-request-assertion': assertion };
      expectWrongAssertion(await deliver(parts, spoilt), parts);
    }
  });

  it('the text of a wrong assertion shows the beginning of a long target alone, and nothing secret', async () => {
    const target = `/v1/users/${'p'.repeat(4_000)}?${'q'.repeat(6_000)}`;
    const headers = signed({ target: '/v1/users' });
    const { status, body, text } = await deliver({ target }, headers);
    expect(status).toBe(401);
    const message = (body as { err_msg: string }).err_msg;
    const cut = (shown: string, length: number) =>
      `"${shown.slice(0, 256)}"... (${length} characters)`;
    expect(message).toContain(`path ${cut(`/v1/users/${'p'.repeat(256)}`, 4_010)}, `);
    expect(message).toContain(`query ${cut('q'.repeat(256), 6_000)}, `);
    expect(message.length).toBeLessThan(1_000);
    const { privateKey, apiKey } = bot.credential;
    const { x = '', d = '' } = privateKey.export({ format: 'jwk' }) as { x?: string; d?: string };
    for (const secret of [apiKey, x, d, ...Object.values(headers)])
      expect(text).not.toContain(secret);
  });
});

describe('a header', () => {
  const names = [
    'authorization',
    'x-request-nonce',
    'x-request-timestamp',
    'x-request-assertion',
  ] as const;

  it.each(names)('%s that is missing is 401', async (name) => {
    const parts = write();
    const { [name]: _left, ...headers } = signed(parts);
    expectUnauthorized(await deliver(parts, headers), `the header ${name} is missing`);
  });

  it.each(names)('%s that is repeated is 400, equal or not, in any case', async (name) => {
    const parts = write();
    for (const [again, value] of [
      [name, undefined],
      [name.toUpperCase(), 'x'],
      [name, ''],
    ] as const) {
      const headers = signed(parts);
      const list: HeaderList = [...Object.entries(headers), [again, value ?? headers[name]!]];
      expectMalformed(await deliver(parts, list));
    }
    const target = '/v1/whoami';
    const authorization = `ApiKey ${bot.credential.apiKey}`;
    const twice: HeaderList = [
      ['authorization', authorization],
      ['authorization', authorization],
    ];
    expectMalformed(await deliver({ target }, twice));
  });

  const malformedHex: [string, (good: string) => string][] = [
    ['empty', () => ''],
    ['upper case', () => '0123456789ABCDEF'],
    ['15 characters', (good) => good.slice(1)],
    ['17 characters', (good) => `${good}0`],
    ['32 characters', (good) => good + good],
    ['no hex', () => 'g123456789abcdef'],
    ['prefixed', (good) => `0x${good.slice(2)}`],
    ['spaced', (good) => `${good.slice(0, 8)} ${good.slice(8)}`],
    ['decimal', () => String(Date.now())],
    ['listed', (good) => `${good},${good}`],
  ];
  for (const name of ['x-request-nonce', 'x-request-timestamp']) {
    it.each(malformedHex)(`${name} that is %s is 400`, async (_case, spoil) => {
      const parts = write();
      const headers = signed(parts);
      expectMalformed(await deliver(parts, { ...headers, [name]: spoil(headers[name]!) }));
    });
  }

  const nonCanonical = (good: string) => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    return good.slice(0, -1) + alphabet[alphabet.indexOf(good.at(-1)!) + 1];
  };
  it.each<[string, (good: string) => string]>([
    ['empty', () => ''],
    ['padded', (good) => `${good}==`],
    ['padded by one', (good) => `${good}=`],
    ['standard base64', (good) => Buffer.from(good, 'base64url').toString('base64')],
    ['standard base64 without padding', (good) => `+/${good.slice(2)}`],
    ['85 characters', (good) => good.slice(0, 85)],
    ['87 characters', (good) => `${good}A`],
    ['88 characters', (good) => `${good}AA`],
    ['spaced', (good) => `${good.slice(0, 40)} ${good.slice(40)}`],
    ['tabbed', (good) => `${good.slice(0, 40)}\t${good.slice(40)}`],
    ['with a non-canonical last character', nonCanonical],
    ['hex', (good) => Buffer.from(good, 'base64url').toString('hex')],
    ['8 KiB', () => 'A'.repeat(8 * 1024)],
    ['beyond 8 KiB', () => 'A'.repeat(8 * 1024 + 4)],
    ['not ASCII', () => '\xe9'.repeat(86)],
    ['zeroes', () => Buffer.alloc(64).toString('base64url')],
  ])('x-request-assertion that is %s is 401', async (_case, spoil) => {
    const parts = write();
    const headers = signed(parts);
    const assertion = spoil(headers['x-request-assertion']!);
    const response = await deliver(parts, { ...headers, 'x-request-assertion': assertion });
    const hasItsForm = /^[A-Za-z0-9_-]{85}[AQgw]$/.test(assertion);
    expectWrongAssertion(response, parts, hasItsForm ? undefined : WRONG_FORM);
  });

  it.each<[string, (key: string) => string]>([
    ['a double space', (key) => `ApiKey  ${key}`],
    ['a tab', (key) => `ApiKey\t${key}`],
    ['no space', (key) => `ApiKey${key}`],
    ['no scheme', (key) => key],
    ['no credential', () => 'ApiKey'],
    ['nothing', () => ''],
    ['another case of the scheme', (key) => `apikey ${key}`],
    ['Bearer with an API key', (key) => `Bearer ${key}`],
    ['Bearer with a JWT', () => 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.'],
    ['Basic', (key) => `Basic ${key}`],
    ['another scheme', (key) => `Token ${key}`],
    ['upper case', (key) => `ApiKey ${key.toUpperCase()}`],
    ['braces', (key) => `ApiKey {${key}}`],
    ['a parameter', (key) => `ApiKey ${key}; x=1`],
    ['two credentials', (key) => `ApiKey ${key}, ApiKey ${key}`],
    ['no hyphens', (key) => `ApiKey ${key.replaceAll('-', '')}`],
    ['a no-break space at its end', (key) => `ApiKey ${key}\xa0`],
    ['a no-break space in it', (key) => `ApiKey\xa0${key}`],
    ['8 KiB', () => `ApiKey ${'a'.repeat(8 * 1024)}`],
  ])('authorization with %s is 401, on writes and on reads', async (_case, spell) => {
    const authorization = spell(bot.credential.apiKey);
    const parts = write();
    expectUnauthorized(await deliver(parts, { ...signed(parts), authorization }));
    expectUnauthorized(await deliver({ target: '/v1/whoami' }, { authorization }));
  });

  it('authorization may have spaces and tabs around its value, which are not signed', async () => {
    const parts = write();
    const headers = signed(parts);
    const authorization = ` \t${headers['authorization']!} \t `;
    expect((await deliver(parts, { ...headers, authorization })).status).toBe(403);
  });
});

describe('a timestamp', () => {
  /** The tests stay so far from the borders of the window: no answer may come later. */
  const MARGIN_MS = 3_000;

  /** What is said to a request that was dated so; once more when the machine let it lie too long. */
  const at = (offsetMs: number) =>
    eventually(async () => {
      const sentAt = Date.now();
      const parts = { ...write(), now: sentAt + offsetMs };
      const response = await deliver(parts, signed(parts));
      return Date.now() - sentAt < MARGIN_MS && response;
    });

  it('within 5 minutes behind is accepted by a vault that is as old as its Redis', async () => {
    expect((await at(-WINDOW_MS + MARGIN_MS)).status).toBe(403);
  });

  it('of before Redis began to remember is 401, and told so', async () => {
    const redis = openTestRedis(vault.servers.redis.url);
    const begin = await redis.hget('countersign:nonce-epoch', 'begin');
    await redis.hset('countersign:nonce-epoch', 'begin', Date.now());
    expectUnauthorized(await at(-WINDOW_MS + MARGIN_MS), /older than the memory of used nonces/);
    await redis.hset('countersign:nonce-epoch', 'begin', begin ?? '');
    redis.disconnect();
  });

  it.each([
    ['ahead', WINDOW_MS],
    ['ahead to the second', WINDOW_MS - 1_000],
  ])('within 5 minutes %s is accepted (%i ms)', async (_case, offsetMs) => {
    expect((await at(offsetMs)).status).toBe(403);
  });

  it.each([
    ['behind', -WINDOW_MS - 1],
    ['a day behind', -86_400_000],
    ['ahead', WINDOW_MS + MARGIN_MS],
    ['a day ahead', 86_400_000],
  ])('more than 5 minutes %s is 401, with a helpful text (%i ms)', async (_case, offsetMs) => {
    expectUnauthorized(await at(offsetMs), STALE);
  });

  it.each([
    ['zero', '0000000000000000'],
    ['2^64 - 1', 'ffffffffffffffff'],
    ['2^63', '0000000000000080'],
    ['2^53', '0000000000002000'],
  ])('that is %s is 401, with a helpful text', async (_case, timestamp) => {
    const parts = write();
    const headers = { ...signed(parts), 'x-request-timestamp': timestamp };
    expectUnauthorized(await deliver(parts, headers), STALE);
  });

  it.each<[string, (nowMs: bigint) => string, RegExp]>([
    ['seconds', (now) => littleEndian(now / 1_000n), /it is right in seconds: send milliseconds$/],
    ['microseconds', (now) => littleEndian(now * 1_000n), /it is right in microseconds/],
    [
      'big-endian',
      (now) => Buffer.from(littleEndian(now), 'hex').reverse().toString('hex'),
      /it is right as big-endian: send little-endian$/,
    ],
  ])('that is right in %s is 401, and told so', async (_case, written, hint) => {
    const parts = write();
    const headers = { ...signed(parts), 'x-request-timestamp': written(BigInt(Date.now())) };
    const response = await deliver(parts, headers);
    expectUnauthorized(response, STALE);
    expectUnauthorized(response, hint);
  });
});

describe('one text tells nothing about which part of a credential was wrong', () => {
  it('of an unknown key', async () => {
    const parts = write();
    const apiKey = '00000000-0000-8000-8000-000000000000';
    expectUnauthorized(await deliver(parts, signedHeaders({ ...bot.credential, apiKey }, parts)));
  });

  it("of one user's key under another's signature", async () => {
    const { privateKey } = (await vault.createMachine()).credential;
    const parts = write();
    expectWrongAssertion(
      await deliver(parts, signedHeaders({ ...bot.credential, privateKey }, parts)),
      parts,
    );
  });

  it.each<[string, (user: TestUser) => Promise<unknown>]>([
    ['a deleted user', (user) => expectOk(vault.admin, 'DELETE', `/v1/users?user_ids=${user.id}`)],
    [
      'a frozen user',
      (user) => expectOk(vault.admin, 'POST', `/v1/users/freeze?user_ids=${user.id}`),
    ],
    [
      'a rotated API key',
      (user) => expectOk(vault.admin, 'PUT', `/v1/users/${user.id}`, { rotate_api_key: true }),
    ],
  ])('of %s, on writes and on reads', async (_case, end) => {
    const user = await vault.createMachine();
    const parts = write();
    const authorization = `ApiKey ${user.credential.apiKey}`;
    const read = { target: '/v1/whoami' };
    expect((await deliver(read, { authorization })).status).toBe(200);
    await end(user);
    expectUnauthorized(await deliver(parts, signedHeaders(user.credential, parts)));
    expectUnauthorized(await deliver(read, { authorization }));
    expectUnauthorized(await deliver(read, signedHeaders(user.credential, read)));
  });

  async function expire(user: TestUser): Promise<string> {
    // an expiry that had passed when the ledger took it is refused: the next one is later
    for (let lifeMs = 700; ; lifeMs *= 2) {
      const expiresAt = Date.now() + lifeMs;
      const { status } = await vault.admin.send({
        method: 'PUT',
        target: `/v1/users/${user.id}`,
        body: { expires_at: new Date(expiresAt).toISOString() },
      });
      expect([200, 422]).toContain(status);
      if (status === 422) continue;
      await setTimeout(expiresAt - Date.now() + 50);
      return new Date(expiresAt).toISOString();
    }
  }

  it('of an expired user, but to that user, who is told since when', async () => {
    const user = await vault.createMachine();
    const at = await expire(user);
    const parts = write();
    const read = { target: '/v1/whoami' };
    const { privateKey } = newMachineKey();
    const told = new RegExp(`^your user expired at ${at}`);
    expectUnauthorized(await deliver(parts, signedHeaders(user.credential, parts)), told);
    expectUnauthorized(await deliver(read, signedHeaders(user.credential, read)), told);
    // whoever has no more than the API key learns nothing of whose it is
    expectUnauthorized(
      await deliver(parts, signedHeaders({ ...user.credential, privateKey }, parts)),
    );
    expectUnauthorized(await deliver(read, { authorization: `ApiKey ${user.credential.apiKey}` }));
    const stale = { ...write(), now: 0 };
    expectUnauthorized(await deliver(stale, signedHeaders(user.credential, stale)));
  });

  it('of a public key that was replaced', async () => {
    const user = await vault.createMachine();
    await expectOk(vault.admin, 'PUT', `/v1/users/${user.id}`, {
      public_key: newMachineKey().publicKey,
    });
    const parts = write();
    expectWrongAssertion(await deliver(parts, signedHeaders(user.credential, parts)), parts);
  });

  it('and a stale timestamp tells nobody that a key is known: the credential comes first', async () => {
    const parts = { ...write(), now: 0 };
    const apiKey = '00000000-0000-8000-8000-000000000000';
    expectUnauthorized(await deliver(parts, signedHeaders({ ...bot.credential, apiKey }, parts)));
    expectUnauthorized(await deliver(parts, signed(parts)), STALE);
  });
});

describe('a nonce', () => {
  it('is used once: the same request again is 401', async () => {
    const parts = write();
    const headers = signed(parts);
    expect((await deliver(parts, headers)).status).toBe(403);
    expectUnauthorized(await deliver(parts, headers), REPLAYED);
    expectUnauthorized(await deliver(parts, headers), REPLAYED);
  });

  it('is used once, whatever else is new in the request', async () => {
    const nonce = randomBytes(8);
    const parts = { ...write(), nonce };
    expect((await deliver(parts, signed(parts))).status).toBe(403);
    const other = { target: '/v1/whoami', nonce };
    expectUnauthorized(await deliver(other, signed(other)), REPLAYED);
  });

  it('is used once in the whole service, not once by each user', async () => {
    const nonce = randomBytes(8);
    const parts = { ...write(), nonce };
    expect((await deliver(parts, signed(parts))).status).toBe(403);
    expectUnauthorized(await deliver(parts, signedHeaders(vault.adminCredential, parts)), REPLAYED);
  });

  it('goes to one of many that arrive at once', async () => {
    const parts = write();
    const headers = signed(parts);
    const answers = await Promise.all(Array.from({ length: 10 }, () => deliver(parts, headers)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 403)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401)).toHaveLength(9);
  });

  it('stays usable after a request that was refused before it was looked at', async () => {
    const nonce = randomBytes(8);
    const parts = { ...write(), nonce };
    const headers = signed(parts);
    const spoilt = { ...headers, 'x-request-assertion': 'A'.repeat(86) };
    expectWrongAssertion(await deliver(parts, spoilt), parts);
    const other = signedHeaders({ ...bot.credential, privateKey: newKey() }, parts);
    expectWrongAssertion(await deliver(parts, other), parts);
    expectUnauthorized(await deliver(parts, { ...headers, authorization: 'ApiKey x' }));
    const stale = { ...parts, now: 0 };
    expectUnauthorized(await deliver(stale, signed(stale)), STALE);
    expectMalformed(await deliver(parts, [...Object.entries(headers), ['x-request-nonce', 'x']]));
    const { 'x-request-assertion': _left, ...three } = headers;
    expectUnauthorized(await deliver(parts, three), /is missing/);
    const list = [...Object.entries(headers)] as HeaderList;
    const untyped = rawRequest({ ...parts, headers: list });
    expect((await sendRaw(vault.baseUrl, untyped)).status).toBe(415);
    expectMalformed(await deliver({ ...parts, body: ' '.repeat(300_000) }, headers));
    expect((await deliver({ ...parts, target: '/v1/nowhere' }, headers)).status).toBe(404);
    expect((await deliver(parts, headers)).status).toBe(403);
  });

  it('is used up by a request that fails after it: by its policy or by its body', async () => {
    const parts = { method: 'POST', target: '/v1/users', body: '{' };
    const headers = signedHeaders(vault.adminCredential, parts);
    expectMalformed(await deliver(parts, headers));
    expectUnauthorized(await deliver(parts, headers), REPLAYED);
  });

  const newKey = () => {
    const { privateKey } = newMachineKey();
    return privateKey;
  };
});

describe('a read', () => {
  const target = '/v1/whoami';

  it('needs the credential alone', async () => {
    const authorization = `ApiKey ${bot.credential.apiKey}`;
    expect((await deliver({ target }, { authorization })).body).toMatchObject({ id: bot.id });
    expectUnauthorized(await deliver({ target }, {}), 'the header authorization is missing');
  });

  it('that is signed all the same is checked, and its nonce is burnt', async () => {
    const headers = signed({ target });
    expect((await deliver({ target }, headers)).status).toBe(200);
    expectUnauthorized(await deliver({ target }, headers), REPLAYED);
  });

  it('with an assertion that does not check out is 401', async () => {
    const headers = { ...signed({ target }), 'x-request-assertion': 'A'.repeat(86) };
    expectWrongAssertion(await deliver({ target }, headers), { target });
    const other = { target: `${target}?x=1` };
    expectWrongAssertion(await deliver(other, signed({ target })), other);
    const stale = { target, now: 0 };
    expectUnauthorized(await deliver(stale, signed(stale)), STALE);
  });

  it('with only some of the signing headers is 401', async () => {
    const headers = signed({ target });
    const names = ['x-request-nonce', 'x-request-timestamp', 'x-request-assertion'] as const;
    for (const name of names) {
      const { [name]: value = '', ...others } = headers;
      expectUnauthorized(await deliver({ target }, others), `the header ${name} is missing`);
      const { authorization = '' } = headers;
      expectUnauthorized(
        await deliver({ target }, { authorization, [name]: value }),
        /is missing$/,
      );
    }
    expect((await deliver({ target }, headers)).status).toBe(200);
  });
});

describe('after Redis forgot every nonce', () => {
  const FOUR_MINUTES_MS = 4 * 60_000;

  async function flush(): Promise<void> {
    const redis = openTestRedis(vault.servers.redis.url);
    await redis.flushall();
    redis.disconnect();
    await eventually(async () => (await fetch(`${vault.baseUrl}/health`)).status === 200);
  }

  it('a request from before that moment is refused, and the client is told to sign again', async () => {
    const parts = write();
    const headers = signed(parts);
    expect((await deliver(parts, headers)).status).toBe(403);
    const unused = signed(parts);
    await flush();
    const text = /older than the memory of used nonces: sign the request again/;
    expectUnauthorized(await deliver(parts, headers), text);
    expectUnauthorized(await deliver(parts, unused), text);
    expect((await deliver(parts, signed(parts))).status).toBe(403);
  });

  it('a write dated 4 minutes ahead is refused by the fold', async () => {
    const body = JSON.stringify({ display_name: 'once and never again' });
    const now = Date.now() + FOUR_MINUTES_MS;
    const parts = { method: 'POST', target: '/v1/vaults', body, now };
    const headers = signedHeaders(vault.adminCredential, parts);
    expect((await deliver(parts, headers)).status).toBe(200);
    await flush();
    expectUnauthorized(await deliver(parts, headers), REPLAYED);
    const { results } = await expectOk<{ results: { display_name: string }[] }>(
      vault.admin,
      'GET',
      '/v1/vaults?limit=100',
    );
    expect(results.filter((row) => row.display_name === 'once and never again')).toHaveLength(1);
  });

  it('a signing request dated 4 minutes ahead is refused by the parties', async () => {
    const wallet = await vault.createWallet();
    const parts = {
      method: 'POST',
      target: `${wallet.path}/raw-sign`,
      body: JSON.stringify({ message: Buffer.from('once').toString('base64') }),
      now: Date.now() + FOUR_MINUTES_MS,
    };
    const headers = { ...signedHeaders(vault.adminCredential, parts), ...PATIENT };
    expect((await deliver(parts, headers)).status).toBe(200);
    await flush();
    expectUnauthorized(await deliver(parts, headers), 'the request was used before');
  });
});

describe('a public key that is no point of prime order, spelt in the one way, is 422', () => {
  const P = 2n ** 255n - 19n;
  const encode = (y: bigint, sign = 0n) => {
    const hex = (y | (sign << 255n)).toString(16).padStart(64, '0');
    return Buffer.from(hex, 'hex').reverse();
  };
  // y of the two pairs of points of order 8
  const Y8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd83d3d706a17c7n;
  const lowOrder: [string, Buffer][] = [
    ['order 1', encode(1n)],
    ['order 2', encode(P - 1n)],
    ['order 4', encode(0n)],
    ['order 4, negative x', encode(0n, 1n)],
    ['order 8', encode(Y8)],
    ['order 8, negative x', encode(Y8, 1n)],
    ['order 8, the other y', encode(P - Y8)],
    ['order 8, the other y, negative x', encode(P - Y8, 1n)],
    ['order 1 with the sign of zero', encode(1n, 1n)],
    ['order 2 with the sign of zero', encode(P - 1n, 1n)],
    ['order 4, y = p', encode(P)],
    ['order 4, y = p, negative x', encode(P, 1n)],
    ['order 1, y = p + 1', encode(P + 1n)],
    ['order 1, y = p + 1, with the sign of zero', encode(P + 1n, 1n)],
  ];
  const others: [string, Buffer][] = [
    ...Array.from({ length: 17 }, (_, n): [string, Buffer] => [
      `y = p + ${n + 2}`,
      encode(P + BigInt(n + 2)),
    ]),
    ['y = 2, on no curve', encode(2n)],
    ['all ones', Buffer.alloc(32, 0xff)],
    ['31 bytes', Buffer.alloc(31, 1)],
    ['33 bytes', Buffer.alloc(33, 1)],
  ];

  it.each([...lowOrder, ...others])('%s', async (_name, key) => {
    for (const publicKey of [key.toString('base64url'), key.toString('hex')]) {
      const created = await vault.admin.send({
        method: 'POST',
        target: '/v1/users',
        body: { type: 'machine', display_name: 'weak', public_key: publicKey },
      });
      expect(created).toMatchObject({ status: 422, body: { err_type: 'invalid_inputs' } });
      const updated = await vault.admin.send({
        method: 'PUT',
        target: `/v1/users/${bot.id}`,
        body: { public_key: publicKey },
      });
      expect(updated).toMatchObject({ status: 422, body: { err_type: 'invalid_inputs' } });
    }
  });
});

describe('whatever arrives', () => {
  const DECLARED = [200, 202, 400, 401, 403, 404, 409, 415, 422];
  const bytes = fc.uint8Array({ maxLength: 60 }).map((part) => Buffer.from(part));
  const header = fc.stringMatching(/^[\x20-\x7e\x80-\xff]{0,40}$/);
  const target = fc.oneof(
    fc.stringMatching(/^\/[\x21-\x7e]{0,40}$/),
    fc
      .constantFrom('/v1/users', '/v1/vaults', '/v1/requests/x')
      .chain((path) => fc.stringMatching(/^[\x21-\x7e]{0,30}$/).map((query) => `${path}?${query}`)),
  );
  const method = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE');

  function expectDeclared(response: RawResponse | undefined): void {
    if (response === undefined) return;
    expect(DECLARED).toContain(response.status);
    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    if (response.status >= 400 && response.status !== 415) {
      expect(response.body).toEqual({
        err_type: expect.any(String),
        err_msg: expect.any(String),
      });
    }
  }

  it('bytes that are no HTTP get a declared answer or none', async () => {
    const property = fc.asyncProperty(bytes, async (noise) => {
      const { responses } = await rawExchange(vault.baseUrl, noise, {
        end: true,
        untilClosed: true,
      });
      for (const response of responses) expectDeclared(response);
    });
    await fc.assert(property, { numRuns: 150 });
  });

  it('any target and any four headers get a declared answer', async () => {
    const property = fc.asyncProperty(
      method,
      target,
      fc.tuple(header, header, header, header),
      fc.boolean(),
      async (verb, path, [authorization, nonce, timestamp, assertion], isKnown) => {
        const headers: HeaderList = [
          ['authorization', isKnown ? `ApiKey ${bot.credential.apiKey}` : authorization],
          ['x-request-nonce', nonce],
          ['x-request-timestamp', timestamp],
          ['x-request-assertion', assertion],
        ];
        const { responses } = await rawExchange(
          vault.baseUrl,
          rawRequest({ method: verb, target: path, headers, body: '{}' }),
          { end: true, untilClosed: true },
        );
        expect(responses).toHaveLength(1);
        // the root leads to the console, whoever asks
        if (verb === 'GET' && /^\/(\?|$)/.test(path)) expect(responses[0]!.status).toBe(307);
        else expectDeclared(responses[0]);
      },
    );
    await fc.assert(property, { numRuns: 200 });
  });

  it('any signed target and body get a declared answer', async () => {
    const routes = fc.constantFrom(
      ['POST', '/v1/users'],
      ['POST', '/v1/vaults'],
      ['POST', '/v1/admin-policies'],
      ['POST', '/v1/signing-policies'],
      ['POST', '/v1/security-groups'],
      ['PATCH', '/v1/system-settings'],
      ['PUT', '/v1/users/x'],
      ['POST', '/v1/keys'],
      ['POST', '/v1/user-groups'],
    );
    const names = fc.constantFrom(
      'type',
      'display_name',
      'description',
      'email',
      'public_key',
      'rules',
      'version',
    );
    const body = fc.oneof(
      bytes,
      fc.json().map((text) => Buffer.from(text)),
      fc
        .dictionary(names, fc.oneof(fc.jsonValue(), fc.constantFrom('machine', 'human', '\ud800')))
        .map((value) => Buffer.from(JSON.stringify(value))),
    );
    const query = fc.stringMatching(/^[\x21-\x7e]{0,12}$/);
    const property = fc.asyncProperty(routes, query, body, async ([verb, path], tail, content) => {
      const full = tail === '' ? path! : `${path!}?${tail}`;
      const parts = { method: verb!, target: full, body: content };
      expectDeclared(await deliver(parts, signedHeaders(vault.adminCredential, parts)));
    });
    await fc.assert(property, { numRuns: 300 });
  });

  it('the service is as well as before', async () => {
    expect(vault.stack.gateway.output()).not.toContain('"err_type":"internal_server_error"');
    expect((await fetch(`${vault.baseUrl}/health`)).status).toBe(200);
  });
});
