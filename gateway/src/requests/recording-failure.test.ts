import { describe, expect, it } from '@jest/globals';
import { deny } from '@countersign/core/denials.js';
import { refuse } from '@countersign/core/errors.js';
import type { User } from '@countersign/vault/state/state.js';
import { recordingFailure } from './recording-failure.js';
import type { RefusedRequest } from './refused-request.js';
import { sayingUndecided } from './undecided.js';
import { ApiError } from '../http/public-error.js';

const exchange = { caller: { id: 'u' } as User, requestId: 'r', params: {} };

async function failing(handle: () => Promise<unknown>, isStoreAway = false) {
  const recorded: RefusedRequest[] = [];
  const refusals = {
    async record(refused: RefusedRequest) {
      if (isStoreAway) throw new Error('the store is away');
      recorded.push(refused);
    },
    drain: async () => undefined,
  };
  const answer = recordingFailure({ refusals, now: () => 1 }, 'sign', exchange, handle);
  return { answer: await answer.catch((error: unknown) => error), recorded };
}

describe('a request of a known caller', () => {
  it('that ends in 504 is on record', async () => {
    const error = new ApiError('gateway_timeout', 'no signer can be reached');
    const { answer, recorded } = await failing(() => Promise.reject(error));
    expect(answer).toBe(error);
    expect(recorded).toMatchObject([
      { requestId: 'r', refusal: refuse('gateway_timeout', 'no signer can be reached') },
    ]);
  });

  it('that ends in a fault is on record without its internal text', async () => {
    const { recorded } = await failing(() => Promise.reject(new Error('a secret of the house')));
    expect(recorded[0]?.refusal).toEqual(refuse('internal_server_error', 'internal error'));
  });

  it('gets its answer also where the record cannot be written', async () => {
    const error = new ApiError('gateway_timeout', 'a store cannot be reached');
    expect((await failing(() => Promise.reject(error), true)).answer).toBe(error);
  });

  it('that has left this gateway has failed by nothing that goes wrong here: the parties say how it ends', async () => {
    const away = new ApiError('gateway_timeout', 'a store cannot be reached', { retryAfterS: 1 });
    const { answer, recorded } = await failing(() => sayingUndecided(() => Promise.reject(away)));
    expect(answer).toMatchObject({ errType: 'gateway_timeout', retryAfterS: 1, isUndecided: true });
    expect(recorded).toEqual([]);
    const fault = await failing(() => sayingUndecided(() => Promise.reject(new Error('secret'))));
    expect(fault.answer).toMatchObject({
      errType: 'internal_server_error',
      message: 'internal error',
    });
    expect(fault.recorded).toEqual([]);
  });

  it('that is answered leaves no record here', async () => {
    const { answer, recorded } = await failing(async () => deny('signing_policies', 'no'));
    expect(answer).toEqual(deny('signing_policies', 'no'));
    expect(recorded).toEqual([]);
  });
});
