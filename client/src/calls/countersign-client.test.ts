import { createPublicKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  isSignedBy,
  startFakeService,
  type Answers,
  type FakeService,
} from '../../fixtures/fake-service.js';
import { valueOf } from '../answers/call-result.js';
import {
  createCountersignClient,
  type CountersignClient,
  type CountersignClientOptions,
} from './countersign-client.js';
import { rsaTestKey } from '../../../test/support/rsa-test-keys.ts';

const apiKey = randomUUID();
const { privateKey } = generateKeyPairSync('ed25519');
const requestId = randomUUID();
const vault = { id: randomUUID(), display_name: 'Schlüssel' };

let service: FakeService | undefined;
let client: CountersignClient | undefined;

afterEach(async () => {
  client?.close();
  await service?.close();
  service = undefined;
});

async function clientTo(
  answers: Answers,
  more: Partial<CountersignClientOptions> = {},
): Promise<CountersignClient> {
  service = await startFakeService(answers);
  client = createCountersignClient({ baseUrl: service.url, apiKey, privateKey, ...more });
  return client;
}

const ok = (body: unknown) => ({ status: 200, body });

test('a call is signed over the bytes that went out', async () => {
  const { call } = await clientTo({ 'POST /v1/vaults': ok(vault) });
  const made = await call('create-vault', { body: { display_name: 'Schlüssel' } });
  expect(valueOf(made)).toEqual(vault);
  const seen = service!.seen[0]!;
  expect(JSON.parse(seen.body)).toEqual({ display_name: 'Schlüssel' });
  expect(isSignedBy(createPublicKey(privateKey), apiKey, seen)).toBe(true);
  expect(isSignedBy(createPublicKey(privateKey), apiKey, { ...seen, body: '{}' })).toBe(false);
});

test('a signer elsewhere signs as well', async () => {
  service = await startFakeService({ 'POST /v1/vaults': ok(vault) });
  client = createCountersignClient({
    baseUrl: service.url,
    apiKey,
    sign: async (digest) => sign(null, digest, privateKey),
  });
  await client.call('create-vault', { body: { display_name: 'desk' } });
  expect(isSignedBy(createPublicKey(privateKey), apiKey, service.seen[0]!)).toBe(true);
});

test('a signer that fails is no answer of the service', async () => {
  service = await startFakeService({});
  const failing = () => Promise.reject(new Error('the token is locked'));
  client = createCountersignClient({ baseUrl: service.url, apiKey, sign: failing });
  const called = client.call('create-vault', { body: { display_name: 'desk' } });
  await expect(called).rejects.toThrow('the token is locked');
  expect(service.seen).toEqual([]);
});

test('a service with another clock is heard once, and its time is kept', async () => {
  const aheadMs = 1_800_000;
  const late = {
    status: 401,
    body: { err_type: 'unauthorized', err_msg: 'x-request-timestamp is more than 5 minutes off' },
    headers: { date: new Date(Date.now() + aheadMs).toUTCString() },
  };
  const answers = [late, ok(vault), ok(vault)];
  const { call } = await clientTo({ 'POST /v1/vaults': () => answers.shift()! });
  const body = { display_name: 'desk' };
  await expect(call('create-vault', { body })).resolves.toMatchObject({ ok: true });
  await expect(call('create-vault', { body })).resolves.toMatchObject({ ok: true });
  const offBy = service!.seen.map(({ headers }) => {
    const header = Buffer.from(String(headers['x-request-timestamp']), 'hex');
    return Math.round((Number(header.readBigUInt64LE()) - Date.now()) / 60_000) + 0;
  });
  expect(offBy).toEqual([0, 30, 30]);
});

test('a call that takes its time is waited for', async () => {
  const records = [{ status: 'processing' }, { status: 'completed', result: vault }];
  const { call } = await clientTo(
    {
      'POST /v1/vaults': {
        status: 202,
        body: { status: 'processing', request_id: requestId },
      },
      [`GET /v1/requests/${requestId}`]: () => ok(records.shift()),
    },
    { pollMs: 1 },
  );
  const made = await call('create-vault', { body: { display_name: 'desk' } });
  expect(made).toEqual({ ok: true, status: 200, value: vault, requestId });
});

test('a broken connection is tried again', async () => {
  const answers = ['breaks', ok({ id: 'u-1' })] as const;
  let turn = 0;
  const { call } = await clientTo(
    { 'GET /v1/whoami': () => answers[turn++]! },
    { retries: { pauseMs: 1 } },
  );
  expect(valueOf(await call('whoami'))).toEqual({ id: 'u-1' });
});

describe('a single request', () => {
  test('comes back as it was answered, whatever that is', async () => {
    const answer = { status: 504, body: 'not { JSON', headers: { 'retry-after': '0' } };
    const { send } = await clientTo({ 'PATCH /v1/vaults': answer });
    const response = await send({ method: 'PATCH', target: '/v1/vaults?a=b', body: [1] });
    expect(response).toMatchObject({ status: 504, text: 'not { JSON', body: undefined });
    expect(response.headers['retry-after']).toBe('0');
    expect(service!.seen).toHaveLength(1);
    expect(isSignedBy(createPublicKey(privateKey), apiKey, service!.seen[0]!)).toBe(true);
  });

  test('has the headers that the caller wants', async () => {
    const { send } = await clientTo({ 'POST /a': ok({}) });
    const headers = { 'content-type': 'text/plain', authorization: 'ApiKey x' };
    await send({ method: 'POST', target: '/a', body: 1, headers });
    expect(service!.seen[0]!.headers).toMatchObject(headers);
  });

  test('that reads carries the API key and no signature', async () => {
    const { get } = await clientTo({ 'GET /v1/whoami': ok({ id: 'u-1' }) });
    await expect(get('/v1/whoami')).resolves.toMatchObject({ body: { id: 'u-1' } });
    const { headers } = service!.seen[0]!;
    expect(headers.authorization).toBe(`ApiKey ${apiKey}`);
    expect(headers).not.toHaveProperty('x-request-assertion');
  });

  test('without an answer is rejected', async () => {
    const { get } = await clientTo({});
    await service?.close();
    await expect(get('/v1/whoami')).rejects.toMatchObject({ errType: 'unreachable' });
  });
});

describe('wrong use is thrown', () => {
  const baseUrl = 'https://vault.example';

  test('an address that may not be used', () => {
    const options = { baseUrl: 'http://vault.example', apiKey, privateKey };
    expect(() => createCountersignClient(options)).toThrow(RangeError);
  });

  test('an API key that is none', () => {
    const options = { baseUrl, apiKey: 'a\r\nb: c', privateKey };
    expect(() => createCountersignClient(options)).toThrow(RangeError);
  });

  test.each([
    ['RSA', rsaTestKey('2048').privateKey],
    ['public', createPublicKey(privateKey)],
  ])('a key that is %s', (_what, key) => {
    const options = { baseUrl, apiKey, privateKey: key };
    expect(() => createCountersignClient(options)).toThrow(TypeError);
  });
});

test('the value of a failure is an error', async () => {
  const { call } = await clientTo({
    'GET /v1/whoami': { status: 403, body: { err_type: 'forbidden', err_msg: 'no' } },
  });
  const refused = await call('whoami');
  expect(() => valueOf(refused)).toThrow('forbidden: no');
});
