/** Whatever a collector does costs spans, and nothing else. */
import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from '@jest/globals';
import {
  openCollector,
  openSpanReceiver,
  type SpanReceiver,
} from '../../../../test/support/span-receiver.js';
import { eventually } from '../../../../test/support/test-vault.js';
import { createLogger } from '../process/logger.js';
import { MAX_WAITING_SPANS, NO_TRACING, openTracing, type Tracing } from './tracing.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function tracingTo(url: string | undefined): Promise<Tracing> {
  const life = {
    onStop: (step: (by: 'SIGTERM') => unknown) => void closing.push(() => step('SIGTERM')),
  };
  const logger = createLogger('test', 'silent');
  return openTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: url }, 'test', { logger, life });
}

async function receiver(): Promise<SpanReceiver> {
  const opened = await openSpanReceiver();
  closing.push(opened.close);
  return opened;
}

async function collector(answer: RequestListener): Promise<string> {
  const { url, close } = await openCollector(answer);
  closing.push(close);
  return url;
}

function draw(tracing: Tracing, requestId: string, parent?: string) {
  const span = tracing.start({
    ...{ role: 'request', requestId, action: 'raw-sign', parent },
    startedAt: Date.now(),
  });
  span?.end([{ stage: 'auth', from: Date.now(), until: Date.now() }]);
  return span;
}

it('without a collector nothing is drawn', async () => {
  expect(await tracingTo(undefined)).toBe(NO_TRACING);
});

it.each(['', '/', '/behind/a/path/'])(
  'spans go to v1/traces at the collector: %j',
  async (path) => {
    const asked: unknown[] = [];
    const url = await collector((request, response) => {
      asked.push(request.url);
      response.end('{}');
    });
    draw(await tracingTo(`${url}${path}`), 'r');
    await eventually(() => asked.length > 0);
    expect(asked[0]).toBe(`${path.replace(/\/$/, '')}/v1/traces`);
  },
);

it('what its caller does not record is not drawn', async () => {
  const tracing = await tracingTo((await receiver()).url);
  const place = `00-${'1'.repeat(32)}-${'2'.repeat(16)}`;
  expect(draw(tracing, 'r', `${place}-00`)).toBeUndefined();
  expect(draw(tracing, 'r', `${place}-01`)?.place).toContain('1'.repeat(32));
});

it('so many spans wait for a slow collector, and no more', async () => {
  const held: (() => void)[] = [];
  let isSlow = true;
  const ids: string[] = [];
  const url = await collector((request, response) => {
    void text(request).then((sent) => {
      ids.push(...[...sent.matchAll(/"stringValue":"(id-\w+)"/g)].map(([, id]) => id!));
      const answer = () => response.end('{}');
      if (isSlow) held.push(answer);
      else answer();
    });
  });
  const tracing = await tracingTo(url);
  for (let drawn = 0; drawn < 10_000; drawn += 1) draw(tracing, 'id-flood');
  await eventually(() => held.length > 0);
  isSlow = false;
  for (const answer of held) answer();
  await eventually(() => {
    draw(tracing, 'id-last');
    return ids.includes('id-last');
  });
  const kept = ids.filter((id) => id === 'id-flood').length;
  expect(kept).toBeGreaterThan(512);
  expect(kept).toBeLessThanOrEqual(MAX_WAITING_SPANS + 512);
});

it('a process ends although its collector never answers', async () => {
  const url = await collector((request) => request.resume());
  draw(await tracingTo(url), 'r');
  await closing.pop()?.();
});

const MUCH = 'x'.repeat(5_000_000);
const LIES: readonly [string, RequestListener][] = [
  ['refuses', (_request, response) => response.writeHead(403).end()],
  ['answers nonsense', (_request, response) => response.end('nonsense')],
  ['answers too much', (_request, response) => response.end(MUCH)],
  ['cuts off', (request) => request.socket.destroy()],
  [
    'is busy for years',
    (_request, response) => response.writeHead(503, { 'retry-after': '99999999' }).end(),
  ],
  [
    'half answers',
    (_request, response) => response.writeHead(200, { 'content-length': 9 }).write('{'),
  ],
];

it.each(LIES)('a collector that %s breaks nothing, and may be right again', async (_what, lie) => {
  const asked: number[] = [];
  let isLying = true;
  const url = await collector((request, response) => {
    asked.push(Date.now());
    if (!isLying) response.end('{}');
    else request.resume().once('end', () => lie(request, response));
  });
  const tracing = await tracingTo(url);
  draw(tracing, 'first');
  await eventually(() => asked.length > 0);
  isLying = false;
  const before = asked.length;
  await eventually(() => {
    draw(tracing, 'next');
    return asked.length > before;
  });
});

it('nobody else hears of spans that a collector sends on', async () => {
  const elsewhere = await receiver();
  let asked = 0;
  const url = await collector((_request, response) => {
    asked += 1;
    response.writeHead(307, { location: `${elsewhere.url}/v1/traces` }).end();
  });
  const tracing = await tracingTo(url);
  await eventually(() => {
    draw(tracing, 'r');
    return asked > 1;
  });
  expect(elsewhere.texts).toEqual([]);
});

it('a collector that is away is not missed', async () => {
  const { url, close } = await openSpanReceiver();
  await close();
  const tracing = await tracingTo(url);
  for (let drawn = 0; drawn < 5_000; drawn += 1) expect(draw(tracing, 'r')).toBeDefined();
});
