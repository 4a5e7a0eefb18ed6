import { afterEach, describe, expect, test } from '@jest/globals';
import { startFakeService, type Answers, type FakeService } from '../../fixtures/fake-service.js';
import { openTransport, type TransportOptions } from './http-transport.js';
import type { Transport, WireRequest } from './transport.js';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close();
});

async function serve(answers: Answers): Promise<FakeService> {
  const service = await startFakeService(answers);
  opened.push(service);
  return service;
}

function transportTo(baseUrl: string, more: Partial<TransportOptions> = {}): Transport {
  const transport = openTransport({ baseUrl, ...more });
  opened.push(transport);
  return transport;
}

function request(target: string, changes: Partial<WireRequest> = {}): WireRequest {
  return { method: 'GET', target, headers: {}, body: Buffer.alloc(0), ...changes };
}

const ok = { status: 200, body: { fine: true } };

describe('an exchange', () => {
  test.each([
    '/v1/users/../keys',
    '//users',
    '/v1/%2e%2E/keys',
    '/v1/keys?b=2&a=%41&c=1+1',
    '/v1/keys?',
  ])('sends the target as it is: %s', async (target) => {
    const service = await serve({ [`GET ${target}`]: ok });
    const answer = await transportTo(service.url).exchange(request(target));
    expect(answer).toMatchObject({ status: 200, text: '{"fine":true}' });
    expect(service.seen[0]?.target).toBe(target);
  });

  test('sends the body in one piece, and says when there is none', async () => {
    const service = await serve({ 'POST /a': ok, 'DELETE /a': ok });
    const transport = transportTo(service.url);
    await transport.exchange(request('/a', { method: 'POST', body: Buffer.from('é') }));
    await transport.exchange(request('/a', { method: 'DELETE' }));
    expect(service.seen.map(({ body, headers }) => [body, headers['content-length']])).toEqual([
      ['é', '2'],
      ['', '0'],
    ]);
  });

  test('goes over the connection of the one before', async () => {
    const service = await serve({ 'GET /a': ok });
    const transport = transportTo(service.url);
    for (let count = 0; count < 3; count++) await transport.exchange(request('/a'));
    expect(service.connections).toBe(1);
  });

  test('ends at a redirect', async () => {
    const elsewhere = await serve({ 'GET /a': ok });
    const headers = { location: `${elsewhere.url}/a` };
    const service = await serve({ 'GET /a': { status: 307, body: '', headers } });
    const answer = await transportTo(service.url).exchange(request('/a'));
    expect(answer.status).toBe(307);
    expect(elsewhere.seen).toEqual([]);
  });
});

test('an exchange has the time that it is given, and no more', async () => {
  const service = await serve({ 'GET /a': 'drips' });
  const exchanged = transportTo(service.url).exchange(request('/a', { timeoutMs: 50 }));
  await expect(exchanged).rejects.toMatchObject({ errType: 'unreachable' });
});

describe('no whole answer', () => {
  const unreachable = (reason: string) => ({
    errType: 'unreachable',
    message: expect.stringContaining(reason),
  });

  test('comes from nobody', async () => {
    const service = await serve({});
    await service.close();
    const exchanged = transportTo(service.url).exchange(request('/a'));
    await expect(exchanged).rejects.toMatchObject(unreachable('(ECONNREFUSED)'));
  });

  test('comes when the connection breaks in its middle', async () => {
    const service = await serve({ 'GET /a': 'breaks' });
    const exchanged = transportTo(service.url).exchange(request('/a'));
    await expect(exchanged).rejects.toMatchObject(unreachable('no answer from http://127.0.0.1'));
  });

  test('comes in time from a service that drips', async () => {
    const service = await serve({ 'GET /a': 'drips' });
    const exchanged = transportTo(service.url, { timeoutMs: 50 }).exchange(request('/a'));
    await expect(exchanged).rejects.toMatchObject(unreachable('no answer from'));
  });

  test('is taken in beyond its limit', async () => {
    const service = await serve({
      'GET /a': { status: 200, body: 'x'.repeat(100) },
      'GET /b': { status: 200, body: 'x'.repeat(101) },
    });
    const transport = transportTo(service.url, { maxAnswerBytes: 100 });
    await expect(transport.exchange(request('/a'))).resolves.toMatchObject({ status: 200 });
    await expect(transport.exchange(request('/b'))).rejects.toMatchObject({
      errType: 'bad_answer',
      message: 'the answer is longer than 100 bytes',
    });
  });
});

test('a target that is none is wrong use, and nothing is sent', async () => {
  const service = await serve({});
  const exchanged = transportTo(service.url).exchange(request('/a b'));
  await expect(exchanged).rejects.toMatchObject({ name: 'TypeError' });
  expect(service.seen).toEqual([]);
});
