import { describe, expect, it } from '@jest/globals';
import { refuse } from '@countersign/core/errors.js';
import type { SignBatch, SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import { withCheckedTokens } from './checked-tokens.js';

const replica = { party: 1 as const, name: 'a', boot: '00' };

function batchOf(...credentials: [scheme: 'ApiKey' | 'Bearer', credential: string][]): SignBatch {
  const items = credentials.map(
    ([scheme, credential]) =>
      ({ evidence: { scheme, credential }, tokenVerified: true }) as SignItem,
  );
  return {
    ...{ batchId: '00', gatewayId: 'g', ledgerSeq: 1, ledgerHash: '00' },
    ...{ lead: replica, partner: replica, items },
  };
}

describe('the tokens of a batch', () => {
  const asked: string[] = [];
  const deps = {
    now: () => 5,
    tokens: {
      refuse: async (token: string, now: number) => {
        asked.push(`${token} at ${now}`);
        return token === 'good' ? undefined : refuse('unauthorized', 'no');
      },
    },
  };

  it('are judged here, whatever came with the job', async () => {
    const batch = batchOf(['Bearer', 'good'], ['Bearer', 'bad'], ['ApiKey', 'key']);
    const { items } = await withCheckedTokens(deps, batch);
    expect(items.map(({ tokenVerified }) => tokenVerified)).toEqual([true, false, true]);
    expect(asked).toEqual(['good at 5', 'bad at 5']);
  });

  it('of machines are none: nobody is asked', async () => {
    asked.length = 0;
    const batch = batchOf(['ApiKey', 'key']);
    expect(await withCheckedTokens(deps, batch)).toBe(batch);
    expect(asked).toEqual([]);
  });
});
