import { describe, expect, it } from '@jest/globals';
import { deny } from '@countersign/core/denials.js';
import { openStages, type Stage } from '@countersign/runtime/tracing/stage-clock.js';
import {
  NO_TRACING,
  type TracedRequest,
  type Tracing,
} from '@countersign/runtime/tracing/tracing.js';
import type { Answer, SignedExchange } from '../admission/exchange.js';
import { serverTiming, tellingTimes } from './told-times.js';

const PLACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

function exchangeWith(headers: Record<string, unknown> = {}) {
  const told = new Map<string, string>();
  const response = { setHeader: (name: string, value: string) => void told.set(name, value) };
  const asked = { request: { headers }, response, requestId: 'r', stages: openStages() };
  return { exchange: asked as unknown as SignedExchange, told };
}

function drawing() {
  const begun: TracedRequest[] = [];
  const ended: (readonly Stage[])[] = [];
  const tracing: Tracing = {
    isOn: true,
    start(request) {
      begun.push(request);
      return { place: PLACE, end: (stages) => void ended.push(stages) };
    },
  };
  return { tracing, begun, ended };
}

describe('Server-Timing', () => {
  it('tells the time of policy with that of authentication, in whole milliseconds', () => {
    const stages: Stage[] = [
      { stage: 'auth', from: 0, until: 1.3 },
      { stage: 'policy', from: 1.3, until: 2.9 },
      { stage: 'queue', from: 2.9, until: 3.1 },
      { stage: 'sign', from: 3.1, until: 14.2 },
      { stage: 'answer', from: 14.2, until: 14.8 },
    ];
    expect(serverTiming(stages)).toBe('auth;dur=3, queue;dur=0, sign;dur=11, answer;dur=1');
  });

  it('tells all the time that a request waited, however often', () => {
    const stages: Stage[] = [
      { stage: 'queue', from: 0, until: 5 },
      { stage: 'queue', from: 5, until: 30 },
    ];
    expect(serverTiming(stages)).toBe('queue;dur=30');
  });

  const SIGNED: Answer = { status: 200, body: {} };
  const LATER: Answer = { status: 202, requestId: 'r' };
  it.each([
    ['a signature', SIGNED, ['server-timing']],
    ['the word that it takes longer', LATER, ['server-timing']],
    ['a refusal', deny('frozen', 'key'), []],
  ])('goes with an answer that is %s: %j', async (_what, answer, headers) => {
    const { exchange, told } = exchangeWith();
    const handle = tellingTimes(NO_TRACING, 'raw-sign', async () => answer);
    expect(await handle(exchange)).toBe(answer);
    expect([...told.keys()]).toEqual(headers);
  });
});

describe('a span', () => {
  it('begins with the request, and its place goes with it', async () => {
    const { tracing, begun, ended } = drawing();
    const { exchange } = exchangeWith({ traceparent: PLACE });
    const places: unknown[] = [];
    const handle = tellingTimes(tracing, 'raw-sign', async ({ trace }) => {
      places.push(trace);
      return { status: 200, body: {} };
    });
    await handle(exchange);
    const { startedAt } = exchange.stages;
    expect(begun).toEqual([
      { role: 'request', requestId: 'r', action: 'raw-sign', startedAt, parent: PLACE },
    ]);
    expect(places).toEqual([PLACE]);
    expect(ended.map((stages) => stages.map(({ stage }) => stage))).toEqual([['answer']]);
  });

  it('ends when the request breaks', async () => {
    const { tracing, ended } = drawing();
    const handle = tellingTimes(tracing, 'raw-sign', () => Promise.reject(new Error('broken')));
    await expect(handle(exchangeWith().exchange)).rejects.toThrow('broken');
    expect(ended.length).toBe(1);
  });

  it('has no parent where its caller names two', async () => {
    const { tracing, begun } = drawing();
    const { exchange } = exchangeWith({ traceparent: [PLACE, PLACE] });
    await tellingTimes(tracing, 'raw-sign', async () => ({ status: 200, body: {} }))(exchange);
    expect(begun[0]?.parent).toBeUndefined();
  });
});
