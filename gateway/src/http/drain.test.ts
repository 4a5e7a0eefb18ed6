import { expect, it } from '@jest/globals';
import { drain } from './drain.js';

async function drained(by: 'SIGTERM' | 'SIGINT' | 'disconnect', forMs: number) {
  const logged: unknown[] = [];
  const waited: number[] = [];
  const logger = { info: (fields: unknown) => void logged.push(fields) };
  await drain(by, forMs, logger as never, async (ms) => void waited.push(ms));
  return { logged, waited };
}

it('SIGTERM leaves a balancer its time, and says so', async () => {
  expect(await drained('SIGTERM', 5_000)).toEqual({
    logged: [{ event: 'draining', duration_ms: 5_000 }],
    waited: [5_000],
  });
});

it.each([
  ['SIGINT', 5_000],
  ['disconnect', 5_000],
  ['SIGTERM', 0],
] as const)('%s with %d ms ends at once', async (by, forMs) => {
  expect(await drained(by, forMs)).toEqual({ logged: [], waited: [] });
});
