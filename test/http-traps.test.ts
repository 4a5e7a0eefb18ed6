/** What Node, Express and JSON parsers do with odd requests, and what the API answers instead. */
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SIGNING_OPERATIONS } from '@countersign/vault/operations/signing-operations.js';
import { call } from './support/api.ts';
import { actOf, EVERY_OPERATION } from './support/operation-inputs.ts';
import {
  rawExchange,
  rawRequest,
  sendRaw,
  signedHeaders,
  signedRaw,
  type RawOptions,
  type RawResponse,
  type SignedParts,
} from './support/raw-http.ts';
import { eventually, newMachineKey, openTestVault } from './support/test-vault.ts';
import type { TestVault } from './support/test-vault.ts';

const MAX_BODY = 256 * 1024;
const UNKNOWN_ID = '00000000-0000-8000-8000-000000000000';

let vault: TestVault;
beforeAll(async () => {
  vault = await openTestVault();
}, 60_000);
afterAll(() => vault?.close(), 60_000);

/** The error body with this status and type, and no more in it than that. */
function expectError(response: RawResponse, status: number, errType: string): void {
  expect(response).toMatchObject({
    status,
    body: { err_type: errType, err_msg: expect.stringMatching(/./) },
  });
  expect(Object.keys(response.body as object).toSorted()).toEqual(['err_msg', 'err_type']);
  expect(response.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
}

function expectWrongType(response: RawResponse): void {
  expect(response.status).toBe(415);
  expect(response.headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
}

const send = (bytes: string | Buffer, options?: RawOptions) =>
  sendRaw(vault.baseUrl, bytes, options);

/** Signed by the administrator over exactly this target, so that nothing but the target is odd. */
const sendSigned = (parts: SignedParts, type?: string) =>
  send(signedRaw(vault.adminCredential, parts, type));

const createUserBody = (fields: object = {}) =>
  JSON.stringify({
    type: 'machine',
    display_name: `trap ${randomBytes(4).toString('hex')}`,
    ...fields,
  });

describe('a request target is taken as it stood on the wire', () => {
  it.each([
    ['/v1/users/../keys', 'a parent segment'],
    ['/v1/users/..', 'a parent segment at the end'],
    ['/v1/./users', 'a dot segment'],
    ['//users', 'an empty first segment'],
    ['//', 'nothing but slashes'],
    ['/v1//users', 'an empty segment'],
    ['/v1/users//', 'two slashes at the end'],
    ['/v1/%2e%2e/keys', 'an encoded parent segment'],
    ['/v1/users/%2E%2e', 'an encoded parent segment in mixed case'],
    ['/v1/%2e/users', 'an encoded dot segment'],
    ['/v1/users/%2e.', 'a half encoded parent segment'],
    ['/v1/users%2fx', 'an encoded slash'],
    ['/v1/users/%2e%2e%2fkeys', 'an encoded climb'],
    ['/v1/users/a%2Fb', 'an encoded slash in upper case'],
    ['/v1/users/a%5cb', 'an encoded backslash'],
    ['/v1\\users', 'a backslash'],
    ['/v1/users/a%00', 'an encoded NUL'],
    ['/v1/users/%', 'a broken escape'],
    ['/v1/users/%zz', 'an escape that is no hex'],
    ['/v1/users/%c0%ae', 'an overlong encoding'],
    ['/v1/users/%ff', 'an escape that is no UTF-8'],
    ['http://evil/v1/users', 'absolute form'],
    ['https://evil/v1/users', 'absolute form with TLS'],
    ['/v1/users#frag', 'a fragment'],
    ['/v1/users?limit=1#frag', 'a fragment after the query'],
    ['*', 'asterisk form'],
    ['v1/users', 'no leading slash'],
  ])('%s is 400: %s', async (target) => {
    const response = await sendSigned({ target });
    expectError(response, 400, 'parse_error');
  });

  it.each([
    ['/V1/users', 'another case'],
    ['/v1/Users', 'another case of the resource'],
    ['/v1/users/', 'a slash at the end'],
    ['/v1/whoami/', 'a slash at the end of a plain read'],
    ['/v1/%75sers', 'a needless escape in a fixed segment'],
    ['/v1/users;x=1', 'a path parameter'],
    ['/v1', 'a prefix of a route'],
    ['/v1/users/a/b', 'a segment too many'],
    ['/health/', 'a service endpoint with a slash at the end'],
    ['/Health', 'a service endpoint in another case'],
  ])('%s is 404: %s', async (target) => {
    expectError(await sendSigned({ target }), 404, 'not_found');
  });

  it('the root leads to the console, and to no other place', async () => {
    const { status, headers } = await sendSigned({ target: '/' });
    expect({ status, location: headers['location'] }).toEqual({
      status: 307,
      location: '/console/',
    });
    for (const target of ['//elsewhere.example', '/?next=//elsewhere.example']) {
      const response = await sendSigned({ target });
      expect(response.headers['location'] ?? '/console/').toBe('/console/');
    }
  });

  it.each([
    '/v1/users/%252e%252e',
    '/v1/users/..%3b',
    `/v1/users/%30${UNKNOWN_ID.slice(1)}`,
    '/v1/users/__proto__',
    '/v1/users/constructor',
    '/v1/users/a%20b',
  ])('%s is no id of anything: 404', async (target) => {
    expectError(await sendSigned({ target }), 404, 'resource_not_found');
  });

  it('a lone ? is an empty query', async () => {
    expect((await sendSigned({ target: '/v1/whoami?' })).status).toBe(200);
  });

  it('only the first ? divides path from query', async () => {
    const response = await sendSigned({ target: '/v1/users?display_name_like=a?b' });
    expect(response.status).toBe(200);
  });

  it('a raw UTF-8 path is 400', async () => {
    const target = Buffer.from('/v1/usérs').toString('latin1');
    expectError(await send(rawRequest({ target })), 400, 'parse_error');
  });

  it.each([
    ['repeated', 'limit=1&limit=1', 422, 'invalid_inputs'],
    ['repeated behind an escape', 'limit=1&%6cimit=2', 422, 'invalid_inputs'],
    ['unknown', 'nonsense=1', 422, 'invalid_inputs'],
    ['in brackets', 'limit[]=1', 422, 'invalid_inputs'],
    ['named __proto__', '__proto__=1', 422, 'invalid_inputs'],
    ['without a name', '=1', 400, 'parse_error'],
    ['an empty pair', 'limit=1&&cursor=a', 400, 'parse_error'],
    ['a broken escape', 'display_name_like=%', 400, 'parse_error'],
    ['not UTF-8', 'display_name_like=%ff', 400, 'parse_error'],
    ['a NUL', 'display_name_like=%00', 400, 'parse_error'],
    ['a cursor of nobody', 'cursor=abc', 400, 'parse_error'],
    ['a word for a number', 'limit=ten', 400, 'parse_error'],
    ['a fraction', 'limit=1.5', 400, 'parse_error'],
    ['zero', 'limit=0', 422, 'invalid_inputs'],
    ['negative', 'limit=-1', 422, 'invalid_inputs'],
    ['one too many', 'limit=101', 422, 'invalid_inputs'],
    ['beyond 16 bits', 'limit=65536', 422, 'invalid_inputs'],
  ])('a query parameter that is %s (%s) is %i', async (_name, query, status, errType) => {
    expectError(await sendSigned({ target: `/v1/users?${query}` }), status, errType);
  });
});

describe('a message that two parsers could read differently is refused', () => {
  const host = 'Host: vault\r\n';
  const chunked = '0\r\n\r\n';
  it.each([
    ['a lower-case method', `get /v1/info HTTP/1.1\r\n${host}\r\n`],
    ['a method nobody knows', `FETCH /v1/info HTTP/1.1\r\n${host}\r\n`],
    [
      'a length and chunks',
      `POST /v1/users HTTP/1.1\r\n${host}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
    ],
    [
      'chunks and a length',
      `POST /v1/users HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n${chunked}`,
    ],
    [
      'two lengths',
      `POST /v1/users HTTP/1.1\r\n${host}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} `,
    ],
    [
      'two equal lengths',
      `POST /v1/users HTTP/1.1\r\n${host}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`,
    ],
    ['a negative length', `POST /v1/users HTTP/1.1\r\n${host}Content-Length: -1\r\n\r\n`],
    ['a length in hex', `POST /v1/users HTTP/1.1\r\n${host}Content-Length: 0x2\r\n\r\n{}`],
    ['no Host', 'GET /v1/info HTTP/1.1\r\n\r\n'],
    ['two Hosts', `GET /v1/info HTTP/1.1\r\n${host}Host: evil\r\n\r\n`],
    ['a folded header', `GET /v1/info HTTP/1.1\r\n${host}X-A: 1\r\n 2\r\n\r\n`],
    ['a header folded at once', `GET /v1/info HTTP/1.1\r\n ${host}\r\n`],
    ['a space before the colon', `GET /v1/info HTTP/1.1\r\n${host}X-A : 1\r\n\r\n`],
    ['a header without a colon', `GET /v1/info HTTP/1.1\r\n${host}X-A\r\n\r\n`],
    ['a NUL in a header', `GET /v1/info HTTP/1.1\r\n${host}X-A: a\0b\r\n\r\n`],
    ['a bare CR in a header', `GET /v1/info HTTP/1.1\r\n${host}X-A: a\rb\r\n\r\n`],
    ['a space in the target', `GET /v1/ info HTTP/1.1\r\n${host}\r\n`],
    ['no version', 'GET /v1/info\r\n\r\n'],
    ['an unknown version', `GET /v1/info HTTP/3.7\r\n${host}\r\n`],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ...[
      'gzip, chunked',
      'gzip,chunked',
      'chunked, chunked',
      'identity, chunked',
      'Chunked',
      'chunked;q=1',
      'chunked\r\nTransfer-Encoding: chunked',
      'gzip\r\nTransfer-Encoding: chunked',
    ].map((coding) => [
      `the transfer encoding ${JSON.stringify(coding)}`,
      `POST /v1/users HTTP/1.1\r\n${host}Transfer-Encoding: ${coding}\r\n\r\n${chunked}`,
    ]),
    [
      'chunks in HTTP/1.0',
      `POST /v1/users HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
    ],
    ['authority form', `CONNECT vault:443 HTTP/1.1\r\n${host}\r\n`],
  ])('%s: 400', async (_name, bytes) => {
    const { responses } = await rawExchange(vault.baseUrl, bytes, {
      untilClosed: true,
      end: true,
    });
    expect(responses).toHaveLength(1);
    expectError(responses[0]!, 400, 'parse_error');
  });

  it.each([
    ['gzip, chunked', 'HTTP/1.1', 'Transfer-Encoding: gzip, chunked'],
    ['it twice', 'HTTP/1.1', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked'],
    ['it in HTTP/1.0', 'HTTP/1.0', 'Connection: keep-alive\r\nTransfer-Encoding: chunked'],
  ])(
    'a transfer encoding that is %s ends the connection, and nothing behind it is read',
    async (_what, version, header) => {
      const next = `GET /v1/info HTTP/1.1\r\n${host}\r\n`;
      const head = `POST /v1/users ${version}\r\n${host}${header}\r\n\r\n`;
      // the client leaves its side open: the vault is to close
      const bytes = `${head}${chunked}${next}`;
      const { responses, isClosed } = await rawExchange(vault.baseUrl, bytes, {
        untilClosed: true,
      });
      expect(responses.map(({ status }) => status)).toEqual([400]);
      expect(isClosed).toBe(true);
    },
  );

  it('a smuggled second request is never answered', async () => {
    const smuggled = 'GET /v1/info HTTP/1.1\r\nHost: vault\r\n\r\n';
    const bytes =
      `POST /v1/users HTTP/1.1\r\n${host}Content-Length: ${smuggled.length + 5}\r\n` +
      `Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`;
    const { responses, isClosed } = await rawExchange(vault.baseUrl, bytes, { untilClosed: true });
    expect(responses.map(({ status }) => status)).toEqual([400]);
    expect(isClosed).toBe(true);
  });

  it('a broken chunk after a good head is 400', async () => {
    const headers: [string, string][] = [
      ['content-type', 'application/json'],
      ['transfer-encoding', 'chunked'],
    ];
    const head = rawRequest({ method: 'POST', target: '/v1/users', headers });
    const response = await send(Buffer.concat([head, Buffer.from('zz\r\n{}\r\n')]));
    expectError(response, 400, 'parse_error');
  });

  it('an unknown transfer encoding is answered once, and the connection ends', async () => {
    const bytes = `POST /v1/users HTTP/1.1\r\n${host}Transfer-Encoding: xchunked\r\n\r\n{}`;
    const { responses, isClosed } = await rawExchange(vault.baseUrl, bytes, { untilClosed: true });
    expect(responses).toHaveLength(1);
    expect([400, 415]).toContain(responses[0]!.status);
    expect(isClosed).toBe(true);
  });

  it('what breaks after its answer gets no second one', async () => {
    const headers: [string, string][] = [['transfer-encoding', 'chunked']];
    const head = rawRequest({ method: 'POST', target: '/nowhere', headers });
    const bytes = Buffer.concat([head, Buffer.from('zz\r\n')]);
    const { responses, isClosed } = await rawExchange(vault.baseUrl, bytes, { untilClosed: true });
    expect(responses.map(({ status }) => status)).toEqual([404]);
    expect(isClosed).toBe(true);
  });

  it('a good request, then a broken one on its connection: each gets its own answer', async () => {
    const good = rawRequest({ target: '/v1/info' });
    const first = await rawExchange(vault.baseUrl, good, {
      expect: 2,
      afterFirst: 'nonsense\r\n\r\n',
    });
    expect(first.responses.map(({ status }) => status)).toEqual([200, 400]);
  });

  it('a header of 32 KiB is 400', async () => {
    const headers: [string, string][] = [['x-filler', 'a'.repeat(32 * 1024)]];
    expectError(await send(rawRequest({ target: '/v1/info', headers })), 400, 'parse_error');
  });

  it('a target of 32 KiB is 400', async () => {
    const target = `/v1/users?display_name_like=${'a'.repeat(32 * 1024)}`;
    expectError(await send(rawRequest({ target })), 400, 'parse_error');
  });

  it('64 headers are read, and more are 400: Node would leave some out without a word', async () => {
    const target = '/v1/whoami';
    const signed = Object.entries(signedHeaders(vault.adminCredential, { target }));
    const withFiller = (count: number) => {
      const filler = Array.from({ length: count }, (_, n): [string, string] => [`x-${n}`, '1']);
      return send(rawRequest({ target, headers: [...filler, ...signed] }));
    };
    const others = signed.length + 1; // host
    expect((await withFiller(64 - others)).status).toBe(200);
    for (const count of [65, 66, 97, 200]) {
      const response = await withFiller(count - others);
      expectError(response, 400, 'parse_error');
      expect(response.text).toContain('more than 64 headers');
    }
  });

  it('an expectation other than 100-continue is ignored', async () => {
    const headers: [string, string][] = [['expect', 'the-unexpected']];
    expect((await send(rawRequest({ target: '/v1/info', headers }))).status).toBe(200);
  });

  it('an upgrade is ignored', async () => {
    const headers: [string, string][] = [
      ['connection', 'upgrade'],
      ['upgrade', 'websocket'],
    ];
    expect((await send(rawRequest({ target: '/v1/info', headers }))).status).toBe(200);
  });
});

describe('a method is what the request line says', () => {
  it.each(['HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE'])(
    '%s is 404 even where the path exists',
    async (method) => {
      for (const target of ['/v1/users', '/v1/info', '/health', '/nowhere']) {
        const response = await send(rawRequest({ method, target }), { method });
        if (method !== 'HEAD') expectError(response, 404, 'not_found');
        expect(response.status).toBe(404);
        expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      }
    },
  );

  it.each(['PUT', 'PATCH'])('%s on a path without it is 404', async (method) => {
    const response = await sendSigned({ method, target: '/v1/users', body: '{}' });
    expectError(response, 404, 'not_found');
  });

  it.each(['x-http-method-override', 'x-http-method', 'x-method-override'])(
    '%s is ignored',
    async (name) => {
      const target = `/v1/users/${vault.adminId}`;
      const signed = Object.entries(signedHeaders(vault.adminCredential, { target }));
      const response = await send(rawRequest({ target, headers: [...signed, [name, 'DELETE']] }));
      expect(response.status).toBe(200);
      expect((await sendSigned({ target: '/v1/whoami' })).status).toBe(200);
    },
  );
});

describe('a body is the bytes that were signed', () => {
  const target = '/v1/users';
  const post = (body: string | Buffer, type?: string) =>
    sendSigned({ method: 'POST', target, body }, type);

  it.each([
    ['text/plain', 'another type'],
    ['application/x-www-form-urlencoded', 'a form'],
    ['application/json; charset=utf-16', 'utf-16'],
    ['application/json; charset=iso-8859-1', 'latin1'],
    ['application/json; charset=utf-8; x=1', 'another parameter'],
    ['application/jsonx', 'a longer type'],
    ['application/json, text/plain', 'two types'],
    ['text/plain; application/json', 'the type as a parameter'],
    ['application/vnd.api+json', 'a suffix'],
    ['', 'an empty type'],
  ])('content type "%s" is 415 text: %s', async (type) => {
    expectWrongType(await post(createUserBody(), type));
  });

  it('no content type is 415 text', async () => {
    const body = createUserBody();
    const parts = { method: 'POST', target, body };
    const headers = Object.entries(signedHeaders(vault.adminCredential, parts));
    expectWrongType(await send(rawRequest({ ...parts, headers })));
  });

  it.each([
    'application/json',
    'application/json;charset=utf-8',
    'Application/JSON; Charset="UTF-8"',
  ])('content type %s is read', async (type) => {
    expectError(await post('{}', type), 422, 'invalid_inputs');
  });

  it('a compressed body is 415 text, not inflated', async () => {
    const body = gzipSync(createUserBody());
    const parts = { method: 'POST', target, body };
    for (const encoding of ['gzip', 'deflate', 'br', 'identity, gzip']) {
      const headers = Object.entries(signedHeaders(vault.adminCredential, parts));
      headers.push(['content-type', 'application/json'], ['content-encoding', encoding]);
      expectWrongType(await send(rawRequest({ ...parts, headers })));
    }
  });

  const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  it.each<[string, string | Buffer]>([
    ['no JSON', 'hello'],
    ['nothing', ''],
    ['half an object', '{"type":"machine"'],
    ['two values', '{}{}'],
    ['a comma at the end', '{"type":"machine",}'],
    ['a comment', '{/* */}'],
    ['single quotes', "{'type':'machine'}"],
    ['NaN', '{"type":NaN}'],
    ['a byte order mark', Buffer.from(`\ufeff${createUserBody()}`)],
    ['utf-16', Buffer.from(createUserBody(), 'utf16le')],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['gzip', gzipSync(createUserBody())],
    ['an array', '[]'],
    ['a string', '"x"'],
    ['null', 'null'],
    ['a duplicate key', '{"type":"machine","display_name":"a","display_name":"b"}'],
    ['a duplicate key behind an escape', '{"type":"machine","a":1,"\\u0061":2}'],
    ['a duplicate key further down', '{"type":"machine","x":{"a":1,"b":[{"c":1,"c":2}]}}'],
    ['__proto__', '{"type":"machine","__proto__":{"display_name":"x"}}'],
    ['__proto__ behind an escape', '{"type":"machine","__pr\\u006fto__":{}}'],
    ['20,000 nested arrays', deep(20_000)],
    ['20,000 nested arrays in a field', `{"display_name":${deep(20_000)}}`],
    ['20,000 nested objects', '{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000)],
    ['130,000 brackets that never close', '['.repeat(130_000)],
    ['a number for a string', createUserBody({ display_name: 1 })],
    [
      'a string for a list',
      createUserBody({ public_key: newMachineKey().publicKey, user_group_ids: 'x' }),
    ],
  ])('%s is 400', async (_name, body) => {
    expectError(await post(body), 400, 'parse_error');
  });

  it.each([
    ['an unknown field', createUserBody({ nonsense: 1 })],
    ['"constructor"', createUserBody({ constructor: {} })],
    ['"toString"', createUserBody({ toString: 'x' })],
    ['a missing field', '{"type":"machine"}'],
  ])('%s is 422', async (_name, body) => {
    expectError(await post(body), 422, 'invalid_inputs');
  });

  it('25,000 keys, and numbers beyond every type, are answered with a declared status', async () => {
    const keys = Array.from({ length: 25_000 }, (_, n) => `"${n}":1`).join(',');
    expectError(await post(`{${keys}}`), 422, 'invalid_inputs');
    expectError(await post(`{"type":${'9'.repeat(200_000)}}`), 400, 'parse_error');
    expectError(await post('{"type":"machine","display_name":1e999}'), 400, 'parse_error');
  });

  /** Good JSON of this many bytes, whose one fault is an unknown field. */
  const bodyOf = (length: number) => {
    const empty = createUserBody({ nonsense: '' });
    return empty.replace('"nonsense":"', (field) => field + 'a'.repeat(length - empty.length));
  };

  it('is read to exactly 256 KiB, whatever its framing', async () => {
    expect(bodyOf(MAX_BODY)).toHaveLength(MAX_BODY);
    expectError(await post(bodyOf(MAX_BODY)), 422, 'invalid_inputs');
    expectError(await sendChunked(bodyOf(MAX_BODY)), 422, 'invalid_inputs');
  });

  it.each([MAX_BODY + 1, 16 * MAX_BODY])(
    'is 400 at %i bytes, whatever its framing, and the answer arrives',
    async (length) => {
      const body = bodyOf(length);
      for (let round = 0; round < 3; round++) {
        for (const response of [await post(body), await sendChunked(body)]) {
          expectError(response, 400, 'parse_error');
          expect(response.text).toContain('larger than 262144 bytes');
        }
      }
    },
  );

  it('is 400 by its announced length alone', async () => {
    const headers: [string, string][] = [
      ['content-type', 'application/json'],
      ['content-length', '99999999999999999'],
    ];
    const head = rawRequest({ method: 'POST', target, headers });
    expectError(await send(head), 400, 'parse_error');
  });

  async function sendChunked(body: string): Promise<RawResponse> {
    const signed = Object.entries(
      signedHeaders(vault.adminCredential, { method: 'POST', target, body }),
    );
    const head = rawRequest({
      method: 'POST',
      target,
      headers: [...signed, ['content-type', 'application/json'], ['transfer-encoding', 'chunked']],
    });
    const half = Math.floor(body.length / 2);
    const chunks = [body.slice(0, half), body.slice(half)].map(
      (part) => `${part.length.toString(16)}\r\n${part}\r\n`,
    );
    return send(Buffer.concat([head, Buffer.from(`${chunks.join('')}0\r\n\r\n`)]));
  }

  it('is not confused with the next request on the connection after a refusal', async () => {
    const body = 'GET /v1/info HTTP/1.1\r\nhost: vault\r\n\r\n';
    const first = rawRequest({ method: 'POST', target: '/nowhere', body });
    const next = rawRequest({ target: '/v1/info' });
    const { responses } = await rawExchange(vault.baseUrl, Buffer.concat([first, next]), {
      expect: 2,
      lingerMs: 1_000,
    });
    expect(responses.map(({ status }) => status)).toEqual([404, 200]);
  });
});

describe('a request that does not come to its end is cut off', () => {
  it('any prefix of a request, cut by the client, is 400 or nothing', async () => {
    const parts = { method: 'POST', target: '/v1/users', body: '{}' };
    const whole = signedRaw(vault.adminCredential, parts);
    for (let length = 1; length < whole.length; length += 13) {
      const { responses } = await rawExchange(vault.baseUrl, whole.subarray(0, length), {
        end: true,
        untilClosed: true,
      });
      for (const response of responses) expectError(response, 400, 'parse_error');
    }
    expect(vault.stack.gateway.hasExited).toBe(false);
  });

  it('headers or a body that trickle are 400 within 20 seconds, and so is silence', async () => {
    const headStart = 'POST /v1/users HTTP/1.1\r\nhost: vault\r\n';
    const bodyStart = () => {
      const parts = { method: 'POST', target: '/v1/users' };
      const headers = Object.entries(signedHeaders(vault.adminCredential, parts));
      headers.push(['content-type', 'application/json'], ['content-length', '1000']);
      return rawRequest({ ...parts, headers });
    };
    const every = (bytes: string) => (write: (more: string) => void) =>
      setInterval(() => write(bytes), 500);
    const untilClosed = true;
    // cut off after 17 s at most: a machine that is busy elsewhere may need another try
    const results = await eventually(async () => {
      const exchanges = await Promise.all([
        rawExchange(vault.baseUrl, headStart, { untilClosed }),
        rawExchange(vault.baseUrl, headStart, { untilClosed, trickle: every('x-a: 1\r\n') }),
        rawExchange(vault.baseUrl, 'GET', { untilClosed }),
        rawExchange(vault.baseUrl, bodyStart(), { untilClosed }),
        rawExchange(vault.baseUrl, bodyStart(), { untilClosed, trickle: every(' ') }),
      ]);
      return exchanges.every(({ elapsedMs }) => elapsedMs < 20_000) && exchanges;
    }, 60_000);
    for (const { responses, isClosed } of results) {
      expect(isClosed).toBe(true);
      expect(responses).toHaveLength(1);
      expectError(responses[0]!, 400, 'parse_error');
    }
  }, 120_000);

  it('the body of nobody is not waited for: 401 at once, then the connection ends', async () => {
    const headers: [string, string][] = [
      ['content-type', 'application/json'],
      ['content-length', '1000'],
    ];
    const head = rawRequest({ method: 'POST', target: '/v1/users', headers });
    const { responses } = await rawExchange(vault.baseUrl, head, { untilClosed: true });
    expect(responses).toHaveLength(1);
    expectError(responses[0]!, 401, 'unauthorized');
    expect(responses[0]!.headers).toMatchObject({ connection: 'close' });
  });

  it('a client that breaks off leaves no error in the log', async () => {
    const before = vault.stack.gateway.output().length;
    const parts = { method: 'POST', target: '/v1/users', body: ' '.repeat(1000) };
    const whole = signedRaw(vault.adminCredential, parts);
    const cut = whole.subarray(0, whole.length - 500);
    await rawExchange(vault.baseUrl, cut, { timeoutMs: 200 });
    await rawExchange(vault.baseUrl, cut, { end: true, untilClosed: true });
    expect((await sendSigned({ target: '/v1/whoami' })).status).toBe(200);
    expect(vault.stack.gateway.output().slice(before)).not.toContain('request_failed');
  });
});

describe('every response', () => {
  it('has its own x-request-id, whatever the client sends', async () => {
    const seen = new Set<string>();
    for (const target of ['/v1/info', '/health', '/nowhere', '/v1/users', '/v1/../x']) {
      const headers: [string, string][] = [['x-request-id', 'mine']];
      const response = await send(rawRequest({ target, headers }));
      expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      seen.add(response.headers['x-request-id']!);
    }
    expect(seen.size).toBe(5);
  });

  it('of the service endpoints ignores a body and credentials that are no good', async () => {
    for (const target of ['/health', '/health/live', '/health/ready', '/v1/info']) {
      const headers: [string, string][] = [['authorization', 'Nonsense']];
      const response = await send(rawRequest({ target, headers, body: '{' }));
      expect(response.status).toBe(200);
    }
  });
});

/** Parameters that take any text; each of the others takes some words, ids, numbers or times alone. */
const FREE_TEXTS = ['display_name_like', 'email_contains'];

interface OfQuery {
  readonly query?: { readonly fields?: object };
}

describe('every operation', () => {
  const parameters = EVERY_OPERATION.flatMap((operation) =>
    Object.keys((operation as OfQuery).query?.fields ?? {}).map((name) => ({ operation, name })),
  );

  it('takes no word in its query that is none of those it knows, and no id that is none: 400', async () => {
    expect(parameters.length).toBeGreaterThan(60);
    const taken: string[] = [];
    for (const { operation, name } of parameters) {
      // a cursor is read where there is a list to go on in
      if (FREE_TEXTS.includes(name) || name === 'cursor') continue;
      const { method, target, body } = actOf(operation);
      const [path, query] = target.split('?');
      const changed = new URLSearchParams(query);
      changed.set(name, 'nonsense!');
      const answer = await call(vault.admin, method, `${path}?${changed.toString()}`, body);
      const isNamed = answer.status === 400 && answer.text.includes(name);
      if (!isNamed) taken.push(`${operation.id} ${name}: ${answer.status} ${answer.text}`);
    }
    expect(taken).toEqual([]);
  }, 60_000);

  it('that is refused is on record and in the audit log under the id of its answer, and names an unknown field', async () => {
    const writes = EVERY_OPERATION.filter(({ method }) => method !== 'GET');
    expect(writes.length).toBeGreaterThan(45);
    const wrong: string[] = [];
    for (const operation of writes) {
      const { method, target, body } = actOf(operation);
      const changed = { ...(body as object), nonsense_field: 1 };
      const answer = await vault.admin.send({ method, target, body: changed });
      const id = String(answer.headers['x-request-id']);
      const record = await vault.admin.get(`/v1/requests/${id}`);
      const audit = await vault.admin.get(`/v1/audit-logs?request_id=${id}`);
      const { results } = audit.body as { results: unknown[] };
      // a request to sign with what is not there is not read
      const isUnread = SIGNING_OPERATIONS.some((signing) => signing.id === operation.id);
      const isNamed = answer.status === 422 && answer.text.includes('nonsense_field');
      const isRight =
        (isUnread ? answer.status === 404 : isNamed) &&
        record.status === 200 &&
        results.length === 1;
      if (!isRight) wrong.push(`${operation.id}: ${answer.status} ${answer.text} ${record.status}`);
    }
    expect(wrong).toEqual([]);
  }, 60_000);
});
