import { expect, it } from '@jest/globals';
import { startReplica } from '@countersign/runtime/jobs/replica.js';
import {
  createDispatchState,
  enqueue,
  giveUp,
  launch,
  takeBatch,
  takeExpired,
} from './dispatch-state.js';

it('a request that waits for its second try leaves, or expires, although the clock was set back by four minutes', () => {
  const NOW = 1_800_000_000_000;
  const state = createDispatchState('quick');
  const pair = { lead: startReplica(1, 'a'), partner: startReplica(2, 'a'), trial: undefined };
  enqueue(state, {
    item: { submission: 'aa', receivedAt: NOW, nonce: 0n, evidence: { credential: 'c' } } as never,
    asked: { requestId: 'r', lane: 'quick' } as never,
    resolve: () => undefined,
  });
  const { batch } = takeBatch(state, pair, NOW);
  launch(state, 'b', batch, pair, NOW);
  giveUp(state, 'b', NOW + 1_500); // it waits 25 ms for another pair
  let end: string | undefined;
  for (let at = NOW + 1_500 - 240_000; at < NOW - 60_000 && end === undefined; at += 1_000) {
    if (takeExpired(state, at).length > 0) end = 'expired';
    else if (takeBatch(state, pair, at).batch.length > 0) end = 'left';
  }
  expect(end).toBeDefined();
});
