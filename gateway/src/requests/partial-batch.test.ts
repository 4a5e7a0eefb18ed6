/** GET /v1/requests/{batch id} while only some items of a batch have ended and nothing says that the others wait. */
import { expect, it } from '@jest/globals';
import { itemIdOf } from '@countersign/core/batch-item.js';
import { digestOf, requestIdOf } from '@countersign/core/evidence.js';
import { EMPTY_STATE } from '@countersign/vault/state/state.js';
import { SIGNING_BATCHES } from '@countersign/vault/operations/signing-batches.js';
import { batchRecord, findBatchItems } from './batch-record.js';

it('is not completed while two of its three items have no end', async () => {
  const batch = SIGNING_BATCHES.find(({ id }) => id === 'sign-batch-with-key')!;
  const keyId = '2a51d354-7c23-88de-90f3-e23285a0df35';
  const venue_requests = [1, 2, 3].map((q) => ({
    channel: 'rest',
    method: 'POST',
    path: '/x',
    query: `q=${q}`,
  }));
  const evidence = {
    method: 'POST',
    path: `/v1/keys/${keyId}/sign-batch`,
    query: '',
    body: Buffer.from(JSON.stringify({ venue_requests })),
    scheme: 'ApiKey',
    credential: 'x',
    timestampMs: 1,
    nonce: Buffer.alloc(8),
    assertion: Buffer.alloc(64),
  } as const;
  const requestId = requestIdOf(digestOf(evidence as never));
  const first = {
    outcome: { outcome: 'denied', errType: 'forbidden', reason: 'a limit' },
    asked: { operation: batch.one },
    createdBy: keyId,
    receivedAt: 1_000,
    completedAt: 1_010,
    evidence,
  };
  // one job of the batch has ended at its lead; the other job (RSA: eight items to a job) is still with its pair
  const results = { findAll: async () => new Map([[itemIdOf(requestId, 0), first]]) };
  const pool = { query: async () => ({ rows: [] }) };
  const items = await findBatchItems({ pool, results } as never, requestId, 1_020);
  const record = batchRecord(requestId, items, {
    optimistic: EMPTY_STATE,
    evidenceKeys: {} as never,
  })!;
  expect(record.status).toBe('processing');
  expect(record.items!.map(({ status }) => status)).toEqual([
    'rejected',
    'processing',
    'processing',
  ]);
  const later = await findBatchItems({ pool, results } as never, requestId, 100_000);
  const over = batchRecord(requestId, later, {
    optimistic: EMPTY_STATE,
    evidenceKeys: {} as never,
  })!;
  expect(over.items!.map(({ status }) => status)).toEqual(['rejected', 'expired', 'expired']);
});
