import { createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  isSignedBy,
  refusal,
  startFakeService,
  type Answers,
  type CannedAnswer,
  type FakeService,
} from '../../fixtures/fake-service.js';
import {
  createCountersignApi,
  type CountersignApi,
  type CountersignApiOptions,
} from './countersign-api.js';
import type { ImportRequestBody } from '../sealing/build-import-request.js';

const apiKey = randomUUID();
const { privateKey } = generateKeyPairSync('ed25519');
const requestId = randomUUID();
const body: ImportRequestBody = {
  type: 'hmac',
  scheme: 'hmac_sha256',
  display_name: 'Schlüssel',
  encoding: 'utf8',
  shares: [],
};
const key = { id: randomUUID(), display_name: 'Schlüssel' };

let service: FakeService | undefined;

afterEach(async () => {
  await service?.close();
  service = undefined;
});

async function apiTo(
  answers: Answers,
  more: Partial<CountersignApiOptions> = {},
): Promise<CountersignApi> {
  service = await startFakeService(answers);
  return createCountersignApi({ url: service.url, apiKey, privateKey, pollMs: 5, ...more });
}

function ok(answer: unknown): CannedAnswer {
  return { status: 200, body: answer };
}

const processing = { status: 202, body: { status: 'processing', request_id: requestId } };
const record = (fields: object) => ok({ request_id: requestId, ...fields });
const failure = (errType: string, errMsg: string) => ({ errType, errMsg });

/** The answers one after the other, and then the last again and again. */
function inTurn(...answers: CannedAnswer[]): () => CannedAnswer {
  let turn = 0;
  return () => answers[Math.min(turn++, answers.length - 1)]!;
}

describe('a call', () => {
  test('that reads carries the API key and no signature', async () => {
    const api = await apiTo({ 'GET /v1/whoami': ok({ id: 'u-1' }) });
    await expect(api.whoami()).resolves.toEqual({ id: 'u-1' });
    const [seen] = service?.seen ?? [];
    expect(seen?.headers.authorization).toBe(`ApiKey ${apiKey}`);
    expect(seen?.headers).not.toHaveProperty('x-request-assertion');
  });

  test('that imports is signed over the bytes that went out', async () => {
    const api = await apiTo({ 'POST /v1/keys/import': ok(key) });
    await expect(api.importKey(body)).resolves.toEqual(key);
    const seen = service?.seen[0];
    expect(JSON.parse(seen?.body ?? '')).toEqual(body);
    expect(isSignedBy(createPublicKey(privateKey), apiKey, seen!)).toBe(true);
    expect(isSignedBy(createPublicKey(privateKey), apiKey, { ...seen!, body: '{}' })).toBe(false);
  });

  test('has a nonce of its own', async () => {
    const api = await apiTo({ 'POST /v1/keys/import': ok(key) });
    await api.importKey(body);
    await api.importKey(body);
    const nonces = service?.seen.map(({ headers }) => headers['x-request-nonce']);
    expect(new Set(nonces).size).toBe(2);
  });

  test('is never sent on to where a redirect points', async () => {
    const elsewhere = await startFakeService({ 'GET /v1/whoami': ok({ id: 'u-1' }) });
    try {
      const headers = { location: `${elsewhere.url}/v1/whoami` };
      const api = await apiTo({ 'GET /v1/whoami': { status: 302, body: '', headers } });
      await expect(api.whoami()).rejects.toMatchObject({ errType: 'unreachable' });
      expect(elsewhere.seen).toEqual([]);
    } finally {
      await elsewhere.close();
    }
  });
});

describe('an import that takes its time', () => {
  const path = `GET /v1/requests/${requestId}`;
  const working = record({ status: 'processing', phase: 'working' });

  async function importing(answers: CannedAnswer[], more: Partial<CountersignApiOptions> = {}) {
    const api = await apiTo(
      { 'POST /v1/keys/import': processing, [path]: inTurn(...answers) },
      more,
    );
    return api.importKey(body);
  }

  test('gives its key in the end', async () => {
    const waiting = record({ status: 'processing', phase: 'awaiting_approval' });
    const done = record({ status: 'completed', result: key });
    await expect(importing([waiting, working, done])).resolves.toEqual(key);
    expect(service?.seen).toHaveLength(4);
  });

  test('outlives a service that is away for a moment', async () => {
    const away = refusal(504, 'gateway_timeout', 'try again');
    const done = record({ status: 'completed', result: key });
    await expect(importing([away, done])).resolves.toEqual(key);
  });

  test('ends with the reason of the vault when it fails', async () => {
    const error = { err_type: 'invalid_inputs', err_msg: 'shares do not fit' };
    const importFails = importing([working, record({ status: 'failed', error })]);
    await expect(importFails).rejects.toMatchObject(failure('invalid_inputs', 'shares do not fit'));
  });

  test.each(['rejected', 'expired', 'cancelled'])('ends when it is %s', async (status) => {
    await expect(importing([record({ status })])).rejects.toMatchObject(
      failure('bad_answer', `the request ended as ${status}`),
    );
  });

  test('ends when the vault no longer knows the request', async () => {
    const gone = refusal(404, 'resource_not_found', 'no such request');
    await expect(importing([gone])).rejects.toMatchObject({ errType: 'resource_not_found' });
  });

  test('ends when the time is over, and says where to look', async () => {
    await expect(importing([working], { waitMs: 20 })).rejects.toMatchObject({
      errType: 'gateway_timeout',
      errMsg: expect.stringContaining(`request ${requestId} is still being worked on (working)`),
    });
  });

  test('whose record has no key is no import', async () => {
    const done = record({ status: 'completed' });
    await expect(importing([done])).rejects.toMatchObject({ errType: 'bad_answer' });
  });
});

describe('an error', () => {
  test('of the vault is told in its own words', async () => {
    const answer = refusal(403, 'forbidden', 'policy says no');
    const api = await apiTo({ 'POST /v1/keys/import': answer });
    await expect(api.importKey(body)).rejects.toMatchObject({
      ...failure('forbidden', 'policy says no'),
      message: 'forbidden: policy says no',
    });
  });

  test('of something that is no vault has no words', async () => {
    const api = await apiTo({ 'GET /v1/whoami': { status: 502, body: '<html>' } });
    await expect(api.whoami()).rejects.toMatchObject(
      failure('bad_answer', 'the service answered with status 502'),
    );
  });

  test('moves no cursor and forges no line', async () => {
    const hostile = refusal(403, 'forbidden', 'no\r\nimport-key: done\u001b[2J\u202E');
    const api = await apiTo({ 'GET /v1/whoami': hostile });
    await expect(api.whoami()).rejects.toMatchObject({ errMsg: 'no??import-key: done?[2J?' });
  });

  test('names the reason when nobody listens', async () => {
    const api = await apiTo({});
    await service?.close();
    await expect(api.whoami()).rejects.toMatchObject({
      errType: 'unreachable',
      errMsg: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test.each([
    ['whoami without a user', { 'GET /v1/whoami': ok({}) }],
    ['a list', { 'GET /v1/whoami': ok([]) }],
    ['no JSON', { 'GET /v1/whoami': ok('hello') }],
  ])('is what %s is', async (_what, answers) => {
    const api = await apiTo(answers);
    await expect(api.whoami()).rejects.toMatchObject({ errType: 'bad_answer' });
  });

  test('is a request id that would be another path', async () => {
    const other = { status: 202, body: { status: 'processing', request_id: '../users' } };
    const api = await apiTo({ 'POST /v1/keys/import': other });
    await expect(api.importKey(body)).rejects.toMatchObject({ errType: 'bad_answer' });
    expect(service?.seen).toHaveLength(1);
  });
});

describe('the address of the service', () => {
  const opening = (url: string) => () => createCountersignApi({ url, apiKey, privateKey });

  test.each(['https://vault.example', 'https://vault.example:8080', 'http://localhost:8080'])(
    'may be %s',
    (url) => {
      expect(opening(url)).not.toThrow();
      expect(opening(`${url}/`)).not.toThrow();
    },
  );

  test.each([
    'http://vault.example:8080',
    'http://localhost.example',
    'http://127.0.0.1.example',
    'https://vault.example/v1',
    'https://vault.example/?a=b',
    'https://user@vault.example',
    'ftp://localhost',
    'vault.example',
    '',
  ])('may not be %j', (url) => {
    expect(opening(url)).toThrow(RangeError);
  });
});
