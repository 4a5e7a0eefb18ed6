/** The record of a batch beside those of its items, and beside what was refused later. */
import { expect, it } from '@jest/globals';
import { itemIdOf } from '@countersign/core/batch-item.js';
import { digestOf, requestIdOf } from '@countersign/core/evidence.js';
import { isRefusal } from '@countersign/core/errors.js';
import { EMPTY_STATE } from '@countersign/vault/state/state.js';
import { SIGNING_BATCHES } from '@countersign/vault/operations/signing-batches.js';
import { getRequest } from './get-request.js';

const batch = SIGNING_BATCHES.find(({ id }) => id === 'sign-batch-with-key')!;
const keyId = '2a51d354-7c23-88de-90f3-e23285a0df35';
const bot = { id: '5009a21b-75e2-8224-a924-ee2747955de7' };
const venue_requests = [1].map((q) => ({
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
};
const batchId = requestIdOf(digestOf(evidence as never));
const itemId = itemIdOf(batchId, 0);
const decided = {
  outcome: { outcome: 'denied', errType: 'forbidden', reason: 'by both parties' },
  asked: { operation: batch.one },
  createdBy: bot.id,
  receivedAt: 1_000,
  completedAt: 1_010,
  evidence,
};
const view = { state: EMPTY_STATE, optimistic: EMPTY_STATE, pending: [] };
const contextOf = (
  rowsFor: (text: string, values: unknown[]) => unknown[],
  results: Map<string, unknown>,
  now: number,
) => ({
  view,
  state: EMPTY_STATE,
  caller: bot,
  now,
  evidenceKeys: {},
  pool: { query: async (text: string, values: unknown[]) => ({ rows: rowsFor(text, values) }) },
  results: { find: async (id: string) => results.get(id), findAll: async () => results },
  journal: { findByRequestId: () => undefined },
});

it('a batch that parties decided is not hidden by a later attempt with the same bytes, which a freeze stopped', async () => {
  const frozenAttempt = {
    action: batch.id,
    actor: bot.id,
    at: new Date(60_000),
    err_type: 'unauthorized',
    reason: 'the user is frozen',
    policy: null,
  };
  const rowsFor = (text: string, values: unknown[]) =>
    text.includes('FROM refused_request') && values[0] === batchId ? [frozenAttempt] : [];
  const context = contextOf(rowsFor, new Map([[itemId, decided]]), 61_000);
  const record = await getRequest.handle(
    context as never,
    { params: { request_id: batchId } } as never,
  );
  expect(isRefusal(record)).toBe(false);
  expect((record as { items?: unknown }).items).toHaveLength(1);
});

it('an expired item has one status in its own record and in its batch', async () => {
  const accepted = {
    request_id: itemId,
    operation: batch.one.id,
    created_by: bot.id,
    created_at: new Date(0),
    expires_at: new Date(30_000),
    batch_id: batchId,
    batch_index: 0,
  };
  const swept = {
    request_id: itemId,
    action: batch.one.id,
    actor: bot.id,
    at: new Date(45_000),
    err_type: 'gateway_timeout',
    reason: 'expired before it was signed',
    policy: null,
  };
  const rowsFor = (text: string, values: unknown[]) => {
    const isAsked =
      values[0] === itemId || (Array.isArray(values[0]) && values[0].includes(itemId));
    if (!isAsked) return [];
    return text.includes('FROM signing_request')
      ? [accepted]
      : text.includes('FROM refused_request')
        ? [swept]
        : [];
  };
  const context = contextOf(rowsFor, new Map(), 50_000);
  const own = (await getRequest.handle(
    context as never,
    { params: { request_id: itemId } } as never,
  )) as { status: string };
  const whole = (await getRequest.handle(
    context as never,
    { params: { request_id: batchId } } as never,
  )) as { items: { status: string }[] };
  expect(whole.items[0]!.status).toBe(own.status);
});
