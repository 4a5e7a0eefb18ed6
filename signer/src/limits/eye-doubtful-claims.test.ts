/** Claims while the database was away for a moment: when it is back, what came to nothing counts no more. */
import { expect, it } from '@jest/globals';
import { createLimitRows } from '../../../test/support/limit-rows.js';
import { createLimits } from './limits.js';
import type { LimitStore } from './limit-store.js';

const claimOf = (requestId: string) => ({
  bucket: 'ab'.repeat(32), requestId, amount: '1', limit: '1', unit: 'count', windowMs: 86_400_000,
});

function setUp(fault: 'claim' | 'giveBack') {
  const rows = createLimitRows();
  const store = rows.storeOf(1);
  let isAway = true;
  const faulty: LimitStore = {
    ...store,
    async claim(...asked) {
      const answer = await store.claim(...asked); // committed; the answer came too late (query_timeout)
      if (fault === 'claim' && isAway) throw new Error('Query read timeout');
      return answer;
    },
    async giveBack(claims) {
      if (fault === 'giveBack' && isAway) throw new Error('away');
      return store.giveBack(claims);
    },
  };
  const now = () => 1_000_000;
  return { limits: createLimits(faulty, now, () => undefined), back: () => (isAway = false) };
}

it('a claim whose answer was lost', async () => {
  const { limits, back } = setUp('claim');
  await expect(limits.take('partner', 2, [claimOf('r1')] as never)).rejects.toThrow();
  back();
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  // nothing of r1 was given, and it has expired: the limit of one is free
  expect(await limits.take('partner', 2, [claimOf('r2')] as never)).toEqual([true]);
});

it('a claim that could not be given back at once', async () => {
  const { limits, back } = setUp('giveBack');
  await limits.take('partner', 2, [claimOf('r1')] as never);
  await limits.giveBack([claimOf('r1')] as never);
  back();
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(await limits.take('partner', 2, [claimOf('r2')] as never)).toEqual([true]);
});
