import { createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isSignedBy } from '../../fixtures/fake-service.js';
import { fakeClock, fakeTransport, jsonAnswer } from '../../fixtures/fake-transport.js';
import type { WireAnswer, WireRequest } from '../transport/transport.js';
import { createOperationCalls, type CallSettings } from './operation-calls.js';
import { createRawClient } from './raw-client.js';

const apiKey = randomUUID();
const { privateKey } = generateKeyPairSync('ed25519');
const publicKey = createPublicKey(privateKey);
const requestId = randomUUID();
const vault = { id: randomUUID(), display_name: 'desk' };
const body = { display_name: 'desk' };

const done = jsonAnswer(200, vault, { 'x-request-id': 'answer-1' });
const accepted = jsonAnswer(202, { status: 'processing', request_id: requestId });
const record = (fields: object) => jsonAnswer(200, { request_id: requestId, ...fields });
const working = record({ status: 'processing', phase: 'working' });
const refusal = (status: number, errType: string, errMsg = 'no', headers = {}) =>
  jsonAnswer(status, { err_type: errType, err_msg: errMsg }, headers);
const timeout = (headers = {}) => refusal(504, 'gateway_timeout', 'try again', headers);
const failure = (errType: string, more: object = {}) => ({
  ok: false,
  error: expect.objectContaining({ errType, ...more }),
});

type Answered = WireAnswer | undefined;

/** The answers one after the other, and then the last again and again; undefined: none comes. */
function calling(
  answers: readonly Answered[],
  settings: CallSettings = {},
  correct?: (serverTimeMs: number) => boolean,
) {
  const transport = fakeTransport(
    (_request, index) => answers[Math.min(index, answers.length - 1)],
  );
  const clock = fakeClock(correct);
  const raw = createRawClient(transport, { apiKey, privateKey }, Date.now);
  return { transport, clock, calls: createOperationCalls(raw, settings, clock) };
}

function header(name: string, requests: readonly WireRequest[]): (string | undefined)[] {
  return requests.map(({ headers }) => headers[name]);
}

function isSigned({ method, target, headers, body: bytes }: WireRequest): boolean {
  return isSignedBy(publicKey, apiKey, { method, target, headers, body: String(bytes) });
}

describe('what is sent', () => {
  test('follows from the operation: path, query, body, signature', async () => {
    const { transport, calls } = calling([done]);
    await calls.call('update-vault', { params: { vault_id: 'a/b c' }, body });
    await calls.call('delete-users', { query: { user_ids: 'a,b' } });
    await calls.call('list-users', { query: { display_name_like: 'ü&', limit: '5' } });
    await calls.call('get-info');
    expect(transport.seen.map(({ method, target }) => `${method} ${target}`)).toEqual([
      'PUT /v1/vaults/a%2Fb%20c',
      'DELETE /v1/users?user_ids=a%2Cb',
      'GET /v1/users?display_name_like=%C3%BC%26&limit=5',
      'GET /v1/info',
    ]);
    expect(transport.seen.map(isSigned)).toEqual([true, true, false, false]);
    expect(transport.seen.map(({ body: bytes }) => String(bytes))).toEqual([
      JSON.stringify(body),
      '',
      '',
      '',
    ]);
    const { headers } = transport.seen[2]!;
    expect(headers).toEqual({ authorization: `ApiKey ${apiKey}` });
    expect(transport.seen[3]?.headers).toEqual({});
  });

  test('has a body where one is due', async () => {
    const { transport, calls } = calling([done]);
    await calls.call('freeze-vaults', { query: { vault_ids: 'a' } });
    await calls.call('freeze-vaults', { query: { vault_ids: 'a' }, body: { reason: 'drill' } });
    expect(transport.seen.map(({ body: bytes }) => String(bytes))).toEqual([
      '',
      '{"reason":"drill"}',
    ]);
  });

  test.each(['', '.', '..'])('has no path with %j in it', async (id) => {
    const { transport, calls } = calling([done]);
    const called = calls.call('get-vault', { params: { vault_id: id } });
    await expect(called).rejects.toThrow(RangeError);
    expect(transport.seen).toEqual([]);
  });

  test('is an operation that there is', async () => {
    const { calls } = calling([done]);
    await expect(calls.call('toString' as 'whoami')).rejects.toThrow(RangeError);
  });

  test.each([
    [{ preferWaitS: 5 }, 'wait=5'],
    [{ preferWaitS: 0 }, 'respond-async'],
    [{ waitMs: 60_000 }, undefined],
    [{ waitMs: 3_500 }, 'wait=3'],
    [{ waitMs: 0 }, 'respond-async'],
    [{ preferWaitS: 30, waitMs: 20_000 }, 'wait=20'],
  ])('with %j prefers %s', async (options, prefer) => {
    const { transport, calls } = calling([done]);
    await calls.call('create-vault', { body, ...options });
    await calls.call('whoami', options);
    expect(header('prefer', transport.seen)).toEqual([prefer, undefined]);
  });
});

describe('an answer', () => {
  test('is a value with its status and id', async () => {
    const { calls } = calling([done]);
    await expect(calls.call('create-vault', { body })).resolves.toEqual({
      ok: true,
      status: 200,
      value: vault,
      requestId: 'answer-1',
    });
  });

  test('of another status may be one, too', async () => {
    const { calls } = calling([jsonAnswer(503, { status: 'degraded' })]);
    await expect(calls.call('get-health')).resolves.toMatchObject({ ok: true, status: 503 });
  });

  test('that is no JSON is text where the operation says so', async () => {
    const { calls } = calling([{ status: 200, headers: {}, text: 'a,b\r\n' }]);
    const exported = await calls.call('export-audit-logs', { query: { format: 'csv' } });
    expect(exported).toMatchObject({ ok: true, value: 'a,b\r\n' });
    const listed = await calls.call('list-audit-logs');
    expect(listed).toEqual(failure('bad_answer', { status: 200 }));
  });

  test('that refuses is told in the words of the vault', async () => {
    const { calls } = calling([refusal(403, 'forbidden', 'no\r\nforged: line\u001b[2J\u202E')]);
    await expect(calls.call('whoami')).resolves.toEqual({
      ok: false,
      error: { errType: 'forbidden', errMsg: 'no??forged: line?[2J?', status: 403 },
    });
  });

  test('of something that is no vault has no words', async () => {
    const { calls } = calling([{ status: 418, headers: {}, text: '<html>' }]);
    await expect(calls.call('whoami')).resolves.toEqual(
      failure('bad_answer', { errMsg: 'the service answered with status 418', status: 418 }),
    );
  });

  test('about the clock carries the time of the service', async () => {
    const headers = { date: 'Sun, 22 Nov 2026 05:00:00 GMT' };
    const stale = refusal(401, 'unauthorized', 'x-request-timestamp is off', headers);
    const { calls } = calling([stale, refusal(401, 'unauthorized', 'no such user', headers)]);
    const serverTimeMs = Date.UTC(2026, 10, 22, 5);
    await expect(calls.call('whoami')).resolves.toEqual(failure('unauthorized', { serverTimeMs }));
    const other = await calls.call('whoami');
    expect(other.ok ? {} : other.error).not.toHaveProperty('serverTimeMs');
  });
});

describe('a request that may fare better later', () => {
  const passing: Answered[] = [
    undefined,
    timeout(),
    { status: 502, headers: {}, text: '<html>' },
    { status: 503, headers: {}, text: '' },
  ];
  const final: Answered[] = [
    done,
    refusal(403, 'forbidden'),
    refusal(409, 'resource_conflict'),
    refusal(500, 'internal_server_error'),
    { status: 200, headers: {}, text: 'no JSON' },
  ];

  test('is the same request each time, signed anew', async () => {
    const faults = fc.array(fc.constantFrom(...passing), { maxLength: 6 });
    const property = fc.asyncProperty(
      faults,
      fc.constantFrom(...final),
      fc.integer({ min: 1, max: 5 }),
      fc.option(fc.stringMatching(/^[!-~]{1,64}$/), { nil: undefined }),
      async (before, last, limit, idempotencyKey) => {
        const { transport, calls } = calling([...before, last], { retries: { attempts: limit } });
        const result = await calls.call('create-vault', {
          body,
          ...(idempotencyKey !== undefined && { idempotencyKey }),
        });
        const { seen } = transport;
        expect(seen).toHaveLength(Math.min(before.length + 1, limit));
        expect(result.ok).toBe(last === done && before.length < limit);
        const keys = new Set(header('idempotency-key', seen));
        expect(keys.size).toBe(1);
        const [key] = keys;
        if (idempotencyKey !== undefined || limit > 1) {
          expect(key).toMatch(/^[!-~]{1,64}$/);
          if (idempotencyKey !== undefined) expect(key).toBe(idempotencyKey);
        }
        expect(new Set(header('x-request-nonce', seen)).size).toBe(seen.length);
        expect(seen.every(isSigned)).toBe(true);
        expect(new Set(seen.map(({ body: bytes }) => String(bytes))).size).toBe(1);
      },
    );
    await fc.assert(property, { numRuns: 100 });
  });

  test('has an idempotency key of its own', async () => {
    const { transport, calls } = calling([done]);
    await calls.call('create-vault', { body });
    await calls.call('create-vault', { body });
    expect(new Set(header('idempotency-key', transport.seen)).size).toBe(2);
  });

  test('that reads is sent again, without a key', async () => {
    const { transport, calls } = calling([timeout(), undefined, done]);
    await expect(calls.call('whoami')).resolves.toMatchObject({ ok: true });
    expect(header('idempotency-key', transport.seen)).toEqual([undefined, undefined, undefined]);
  });

  test('is sent once when retries are off, and needs no key', async () => {
    const { transport, calls } = calling([timeout(), done], { retries: false });
    await expect(calls.call('create-vault', { body })).resolves.toEqual(failure('gateway_timeout'));
    expect(header('idempotency-key', transport.seen)).toEqual([undefined]);
  });

  test('waits longer each time, and as long as the service asks', async () => {
    const { clock, calls } = calling([undefined, timeout({ 'retry-after': '7' }), undefined, done]);
    await expect(calls.call('whoami')).resolves.toMatchObject({ ok: true });
    expect(clock.pauses).toEqual([200, 7_000, 800]);
  });

  test('is given up when the time would be over', async () => {
    const late = timeout({ 'retry-after': '7' });
    const { transport, clock, calls } = calling([late, done]);
    await expect(calls.call('whoami', { waitMs: 7_000 })).resolves.toEqual(
      failure('gateway_timeout', { status: 504, retryAfterS: 7 }),
    );
    expect([transport.seen.length, clock.pauses]).toEqual([1, []]);
  });
});

describe('a refused timestamp', () => {
  const date = 'Sun, 22 Nov 2026 05:00:00 GMT';
  const late = refusal(401, 'unauthorized', 'x-request-timestamp is off', { date });
  const told: number[] = [];
  const believing = (serverTimeMs: number) => told.push(serverTimeMs) > 0;

  test('is told to the clock, and the request is signed anew at once, under the same key', async () => {
    const { transport, clock, calls } = calling([late, done], {}, believing);
    await expect(calls.call('create-vault', { body })).resolves.toMatchObject({ ok: true });
    expect([told, clock.pauses]).toEqual([[Date.UTC(2026, 10, 22, 5)], []]);
    expect(new Set(header('idempotency-key', transport.seen)).size).toBe(1);
    expect(new Set(header('x-request-nonce', transport.seen)).size).toBe(2);
  });

  test('is final the second time, and where the clock is not believed', async () => {
    const twice = calling([late], {}, believing);
    await expect(twice.calls.call('create-vault', { body })).resolves.toEqual(
      failure('unauthorized'),
    );
    expect(twice.transport.seen).toHaveLength(2);
    const unbelieved = calling([late, done]);
    await expect(unbelieved.calls.call('create-vault', { body })).resolves.toEqual(
      failure('unauthorized', { serverTimeMs: Date.UTC(2026, 10, 22, 5) }),
    );
    expect(unbelieved.transport.seen).toHaveLength(1);
  });

  test('is not sent again for whoever wants a single attempt', async () => {
    const { transport, calls } = calling([late, done], { retries: false }, believing);
    await expect(calls.call('create-vault', { body })).resolves.toEqual(failure('unauthorized'));
    expect(transport.seen).toHaveLength(1);
  });
});

describe('the time of a call', () => {
  test('bounds each exchange, and what the service is asked to take, by what is left of it', async () => {
    const { transport, calls } = calling([timeout({ 'retry-after': '3' }), undefined, done]);
    await calls.call('create-vault', { body, waitMs: 8_000 });
    expect(transport.seen.map(({ timeoutMs }) => timeoutMs)).toEqual([10_000, 7_000, 6_600]);
    expect(header('prefer', transport.seen)).toEqual(['wait=8', 'wait=5', 'wait=4']);
  });

  test('bounds each look at a request, too', async () => {
    const { transport, calls } = calling([accepted, working], { pollMs: 600 });
    await calls.call('create-vault', { body, waitMs: 1_000 });
    expect(transport.seen.map(({ timeoutMs }) => timeoutMs)).toEqual([3_000, 3_000, 2_400, 2_000]);
  });
});

describe('a request that takes its time', () => {
  const creating = (answers: readonly Answered[], waitMs?: number) => {
    const opened = calling([accepted, ...answers], { pollMs: 100 });
    const called = opened.calls.call('create-vault', {
      body,
      ...(waitMs !== undefined && { waitMs }),
    });
    return { ...opened, called };
  };

  test('gives its result in the end', async () => {
    const waiting = record({ status: 'processing', phase: 'awaiting_approval' });
    const completed = record({ status: 'completed', result: vault });
    const { transport, called } = creating([waiting, working, completed]);
    await expect(called).resolves.toEqual({ ok: true, status: 200, value: vault, requestId });
    expect(transport.seen.slice(1).map(({ method, target }) => `${method} ${target}`)).toEqual(
      Array.from({ length: 3 }, () => `GET /v1/requests/${requestId}`),
    );
  });

  test('is looked at less and less often', async () => {
    const looks = Array.from({ length: 14 }, () => working);
    const completed = record({ status: 'completed', result: vault });
    const { clock, called } = creating([...looks, completed]);
    await called;
    expect(clock.pauses.slice(0, 3)).toEqual([100, 150, 225]);
    expect(clock.pauses.at(-1)).toBe(5_000);
  });

  test('outlives a service that is away, however often', async () => {
    const away = [undefined, timeout(), undefined, undefined, timeout(), undefined];
    const { called } = creating([...away, record({ status: 'completed', result: vault })]);
    await expect(called).resolves.toMatchObject({ ok: true, value: vault });
  });

  test.each([
    [{ status: 'failed', error: { err_type: 'invalid_inputs', err_msg: 'no' } }, 'invalid_inputs'],
    [{ status: 'rejected', error: { err_type: 'forbidden', err_msg: 'no' } }, 'forbidden'],
    [{ status: 'expired' }, 'expired'],
    [{ status: 'cancelled' }, 'cancelled'],
    [{ status: 'rejected' }, 'bad_answer'],
    [{ status: 'completed' }, 'bad_answer'],
    [
      { status: 'completed', error: { err_type: 'forbidden', err_msg: 'the key is frozen' } },
      'forbidden',
    ],
    [{ status: 'completed', result: null }, 'gone'],
    [{}, 'bad_answer'],
  ])('that ends as %j is an error of type %s', async (fields, errType) => {
    const { called } = creating([working, record(fields)]);
    await expect(called).resolves.toEqual(failure(errType, { requestId }));
  });

  test('ends when the vault no longer knows it', async () => {
    const { called } = creating([refusal(404, 'resource_not_found')]);
    await expect(called).resolves.toEqual(failure('resource_not_found', { requestId }));
  });

  test('outlasts its caller, who hears where to look', async () => {
    const { clock, called } = creating([working], 1_000);
    await expect(called).resolves.toEqual(
      failure('still_processing', {
        requestId,
        errMsg: `request ${requestId} is still being worked on (working): look at GET /v1/requests/${requestId}`,
      }),
    );
    expect(clock.elapsedMs()).toBe(1_000);
  });

  test('is not looked at for a caller who does not wait', async () => {
    const { transport, called } = creating([record({ status: 'completed', result: vault })], 0);
    await expect(called).resolves.toEqual(failure('still_processing', { requestId }));
    expect(transport.seen).toHaveLength(1);
  });

  test('can be waited for by its id', async () => {
    const { calls } = calling([working, record({ status: 'completed', result: vault })]);
    await expect(calls.waitForRequest(requestId)).resolves.toMatchObject({ value: vault });
    await expect(calls.waitForRequest('../users')).rejects.toThrow(RangeError);
  });

  test('has no id that would be another path', async () => {
    const other = jsonAnswer(202, { status: 'processing', request_id: '../users' });
    const { transport, calls } = calling([other]);
    await expect(calls.call('create-vault', { body })).resolves.toEqual(failure('bad_answer'));
    expect(transport.seen).toHaveLength(1);
  });
});

describe('pages', () => {
  const page = (results: unknown[], next_cursor: string | null) =>
    jsonAnswer(200, { results, next_cursor });

  async function collect(answers: readonly Answered[]) {
    const { transport, calls } = calling(answers, { retries: false });
    const results = [];
    for await (const one of calls.pages('list-users', { query: { limit: '2' } })) results.push(one);
    return { results, targets: transport.seen.map(({ target }) => target) };
  }

  test('come one after the other, with the same filters', async () => {
    const { results, targets } = await collect([page([1, 2], 'a+'), page([3], null)]);
    expect(results.flatMap((one) => (one.ok ? one.value.results : []))).toEqual([1, 2, 3]);
    expect(targets).toEqual(['/v1/users?limit=2', '/v1/users?limit=2&cursor=a%2B']);
  });

  test('of what is asked for by a body have their cursor in it', async () => {
    const { transport, calls } = calling([page([1], 'a'), page([2], null)], { retries: false });
    const asked = {
      security_group_id: requestId,
      rules: [{ display_name: 'x', when: {}, then: 'deny' as const }],
      from: '2026-11-01T00:00:00Z',
      to: '2026-11-02T00:00:00Z',
    };
    const pages = calls.pages('backtest-signing-policies', { body: asked });
    for await (const one of pages) expect(one.ok).toBe(true);
    const bodies = transport.seen.map(({ body: sent }) => JSON.parse(String(sent)) as unknown);
    expect(bodies).toEqual([asked, { ...asked, cursor: 'a' }]);
    expect(new Set(transport.seen.map(({ target }) => target)).size).toBe(1);
  });

  test('end at the first failure', async () => {
    const { results } = await collect([page([1, 2], 'a'), timeout()]);
    expect(results).toEqual([expect.objectContaining({ ok: true }), failure('gateway_timeout')]);
  });

  test('that go round in a circle end', async () => {
    const { results } = await collect([page([1, 2], 'a')]);
    expect(results.at(-1)).toEqual(failure('bad_answer'));
    expect(results).toHaveLength(3);
  });
});
