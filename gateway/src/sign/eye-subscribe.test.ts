import { expect, it } from '@jest/globals';
import { subscribeToReplies } from './reply-subscription.js';

it('a gateway whose first SUBSCRIBE was refused (BUSY, NOPERM) subscribes once Redis takes it', async () => {
  let asked = 0;
  const subscriber = {
    status: 'ready',
    on: () => undefined,
    once: () => undefined,
    subscribe: async () => {
      asked += 1;
      if (asked === 1) throw new Error('BUSY Redis is busy running a script');
    },
  };
  subscribeToReplies({
    subscriber: subscriber as never,
    gatewayId: 'g',
    keys: {} as never,
    logger: { error: () => undefined, warn: () => undefined } as never,
    alarms: {} as never,
    receive: () => undefined,
  });
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  expect(asked).toBeGreaterThan(1);
});
