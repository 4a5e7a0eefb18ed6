/** A retry of a batch that was signed, after its key was frozen (or no rule allows the caller any more). */
import { expect, it } from '@jest/globals';
import { itemIdOf } from '@countersign/core/batch-item.js';
import { sha256, uuidFromHash } from '@countersign/core/hash.js';
import { EMPTY_STATE } from '@countersign/vault/state/state.js';
import { SIGNING_BATCHES } from '@countersign/vault/operations/signing-batches.js';
import { handleSigningBatch } from './handle-signing-batch.js';

const idOf = (name: string) => uuidFromHash(sha256(name));

it('has the results of each item', async () => {
  const batch = SIGNING_BATCHES.find(({ id }) => id === 'sign-batch-with-key')!;
  const earlierId = idOf('earlier');
  const keyId = idOf('key');
  const body = Buffer.from(
    JSON.stringify({
      venue_requests: [1, 2, 3].map((q) => ({
        channel: 'rest',
        method: 'POST',
        path: '/x',
        query: `q=${q}`,
      })),
    }),
  );
  const caller = { id: idOf('bot') };
  const result = {
    outcome: { outcome: 'denied', errType: 'forbidden', reason: 'a limit' },
    asked: { operation: batch.one },
    createdBy: caller.id,
    receivedAt: 1,
    completedAt: 2,
  };
  const stored = new Map([0, 1, 2].map((index) => [itemIdOf(earlierId, index), result]));
  const deps = {
    follower: { state: EMPTY_STATE, view: { state: EMPTY_STATE, optimistic: EMPTY_STATE } },
    prices: { current: () => ({}) },
    now: () => 1_000,
    signingLog: { note: () => undefined },
    idempotency: { find: async () => ({ kind: 'repeat', requestId: earlierId, ageMs: 5_000 }) },
    results: { findAll: async () => stored, find: async () => undefined },
    pool: { query: async () => ({ rows: [] }) },
    signingRequests: { isAccepted: async () => false },
    refusals: { record: async () => undefined },
    evidenceKeys: {},
  };
  const exchange = {
    request: { headers: { 'idempotency-key': 'k1' } },
    params: { key_id: keyId },
    requestId: idOf('again'),
    caller,
    arrivedAt: 1_000,
    evidence: { method: 'POST', path: `/v1/keys/${keyId}/sign-batch`, query: '', body },
  };
  const answer = (await handleSigningBatch(deps as never, batch, exchange as never)) as {
    status?: number;
    body?: { results: unknown[] };
  };
  expect(answer.status).toBe(200);
  expect(answer.body!.results).toHaveLength(3);
});
