import { expect, test } from '@jest/globals';
import type { RefusedRequest } from '../refusals/refused-request.js';
import { recordExpired } from './sweeper.js';

test('a request that came to nothing in its time is on record as failed, with what it was about', async () => {
  const recorded: RefusedRequest[] = [];
  const keyId = '11111111-1111-4111-8111-111111111111';
  await recordExpired({
    now: () => 5,
    requests: {
      findUnfinished: async () => [],
      findExpired: async () => [
        {
          requestId: 'r',
          operation: 'raw-sign-with-key',
          createdBy: 'u',
          path: `/v1/keys/${keyId}/raw-sign`,
        },
      ],
    },
    refusals: { record: async (refused) => void recorded.push(refused) },
  });
  expect(recorded).toMatchObject([
    {
      at: 5,
      action: 'raw-sign-with-key',
      actorId: 'u',
      requestId: 'r',
      refusal: { refused: 'gateway_timeout' },
      keyId,
    },
  ]);
});
