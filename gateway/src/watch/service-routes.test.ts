/** What `/health` says of a gateway that has stopped following the ledger, and of one whose disk takes no pin. */
import { expect, it } from '@jest/globals';
import { SERVICE_ROUTES, type ServiceContext } from './service-routes.js';

const NOW = 1_800_000_000_000;

function healthWith(follower: object) {
  const context = {
    follower: { confirmedMsAgo: 0, fault: undefined, pinTrouble: undefined, ...follower },
    presence: { isAlive: () => true, troubleOf: () => undefined },
    redis: { status: 'ready' },
    nonces: { isReady: true },
    governance: { isAlive: true },
    signing: { isAlive: true },
    prices: { state: () => 'none' },
    now: () => NOW,
    startedAt: NOW,
    isStopping: () => false,
  } as unknown as ServiceContext;
  const route = SERVICE_ROUTES.find(({ id }) => id === 'get-health')!;
  return route.handle(context);
}

const HEALTHY = { status: 'ok', checks: { postgres: 'ok', ledger: 'ok', pin: 'ok' } };

it('names the ledger where this gateway cannot follow it', () => {
  expect(healthWith({})).toMatchObject({ body: HEALTHY });
  const stopped = { fault: new Error('rolled back'), confirmedMsAgo: Number.POSITIVE_INFINITY };
  expect(healthWith(stopped)).toMatchObject({
    body: { status: 'degraded', checks: { ledger: 'unavailable', pin: 'ok' } },
  });
});

it('names the pin where its disk does not take it, and stays ok: a gateway signs nothing', () => {
  expect(healthWith({ pinTrouble: 'no space left' })).toMatchObject({
    body: { ...HEALTHY, checks: { ...HEALTHY.checks, pin: 'unavailable' } },
  });
});
