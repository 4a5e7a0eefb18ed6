/**
 * Tells where the time of a request for a signature went: its caller by `Server-Timing`, and whoever collects spans.
 *
 * A caller may not learn from times what they may not read. So nobody is told anything who is not authenticated, and a
 * refusal has no times: they would say which check refused, and so whether a key exists. The time of policy is not told
 * apart, because it grows with the rules, and with limits, of whoever shares the key. It is part of `auth`, beside a
 * round to Redis. Times are whole milliseconds. What is left is the load of the vault in `queue` and `sign`, which a
 * caller's own clock tells as well.
 */
import { isRefusal } from '@countersign/core/errors.js';
import type { Stage, StageName } from '@countersign/runtime/tracing/stage-clock.js';
import type { Tracing } from '@countersign/runtime/tracing/tracing.js';
import type { Answer, SignedExchange } from '../admission/exchange.js';

type Handle = (exchange: SignedExchange) => Promise<Answer>;

/** `action`: the operation's id. Only now is a caller's `traceparent` read: they have proven who they are. */
export function tellingTimes(tracing: Tracing, action: string, handle: Handle): Handle {
  return async (exchange) => {
    const { request, response, requestId, stages } = exchange;
    const { startedAt } = stages;
    const parent = request.headers['traceparent'];
    const asked = { role: 'request', requestId, action, startedAt } as const;
    const span = tracing.isOn
      ? tracing.start({ ...asked, parent: typeof parent === 'string' ? parent : undefined })
      : undefined;
    try {
      const answer = await handle(
        span === undefined ? exchange : { ...exchange, trace: span.place },
      );
      stages.end('answer');
      if (!isRefusal(answer)) response.setHeader('server-timing', serverTiming(stages.stages));
      return answer;
    } finally {
      span?.end(stages.stages);
    }
  };
}

const TOLD: Partial<Readonly<Record<StageName, string>>> = {
  auth: 'auth',
  policy: 'auth',
  queue: 'queue',
  sign: 'sign',
  answer: 'answer',
};

/** As W3C Server Timing writes it: `auth;dur=2, queue;dur=0, sign;dur=11, answer;dur=0`. */
export function serverTiming(stages: readonly Stage[]): string {
  const sums = new Map<string, number>();
  for (const { stage, from, until } of stages) {
    const name = TOLD[stage];
    if (name !== undefined) sums.set(name, (sums.get(name) ?? 0) + until - from);
  }
  return [...sums].map(([name, ms]) => `${name};dur=${Math.round(ms)}`).join(', ');
}
