/** The record of a batch: beside those of its items, and beside what was refused later. */
import { expect, it } from '@jest/globals';
import { itemIdOf } from '@countersign/core/batch-item.js';
import { isRefusal } from '@countersign/core/errors.js';
import { digestOf, requestIdOf } from '@countersign/core/evidence.js';
import { SIGNING_BATCHES } from '@countersign/vault/operations/signing-batches.js';
import { EMPTY_STATE } from '@countersign/vault/state/state.js';
import { getRequest } from './get-request.js';

const ASKED = 1_000;
const batch = SIGNING_BATCHES.find(({ id }) => id === 'sign-batch-with-key')!;
const bot = { id: '5009a21b-75e2-8224-a924-ee2747955de7' };
const venueRequests = [1, 2, 3].map((q) => ({
  ...{ channel: 'rest', method: 'POST', path: '/x', query: `q=${q}` },
}));
const evidence = {
  ...{
    method: 'POST',
    path: '/v1/keys/2a51d354-7c23-88de-90f3-e23285a0df35/sign-batch',
    query: '',
  },
  body: Buffer.from(JSON.stringify({ venue_requests: venueRequests })),
  ...({ scheme: 'ApiKey', credential: 'x', timestampMs: 1 } as const),
  ...{ nonce: Buffer.alloc(8), assertion: Buffer.alloc(64) },
} as const;
const batchId = requestIdOf(digestOf(evidence));
const itemId = itemIdOf(batchId, 0);
/** The first item, at its lead. */
const DECIDED = {
  outcome: { outcome: 'denied', errType: 'forbidden', reason: 'a limit' },
  asked: { operation: batch.one },
  createdBy: bot.id,
  ...{ receivedAt: ASKED, completedAt: ASKED + 10, evidence },
};
const refused = (action: string, at: number, errType: string, reason: string) => ({
  ...{ action, actor: bot.id, at: new Date(at), err_type: errType, reason, policy: null },
});

interface Stored {
  readonly decided?: boolean;
  /** By request id, as below. */
  readonly accepted?: Readonly<Record<string, object>>;
  readonly refused?: Readonly<Record<string, object>>;
}

interface Shown {
  readonly status: string;
  readonly items?: readonly { readonly status: string }[];
}

/** What the bot is shown of a request, with this in the database. */
async function show(requestId: string, now: number, stored: Stored): Promise<Shown> {
  const results = new Map(stored.decided === true ? [[itemId, DECIDED]] : []);
  const query = async (text: string, [asked]: readonly (string | readonly string[])[]) => {
    const table = text.includes('FROM signing_request') ? stored.accepted : stored.refused;
    const isAsked = (id: string) => (Array.isArray(asked) ? asked.includes(id) : asked === id);
    return { rows: Object.entries(table ?? {}).flatMap(([id, row]) => (isAsked(id) ? [row] : [])) };
  };
  const context = {
    ...{ state: EMPTY_STATE, view: { state: EMPTY_STATE, optimistic: EMPTY_STATE, pending: [] } },
    ...{ caller: bot, now, evidenceKeys: {}, pool: { query } },
    results: { find: async (id: string) => results.get(id), findAll: async () => results },
    journal: { findByRequestId: () => undefined },
  };
  const params = { request_id: requestId };
  const record = await getRequest.handle(context as never, { params } as never);
  if (isRefusal(record)) throw new Error(record.message);
  return record as Shown;
}

const statusesOf = ({ items = [] }: Shown) => items.map(({ status }) => status);

it('a batch is not completed while items of another of its jobs have no end', async () => {
  const early = await show(batchId, ASKED + 20, { decided: true });
  expect(early.status).toBe('processing');
  expect(statusesOf(early)).toEqual(['rejected', 'processing', 'processing']);
  const late = await show(batchId, ASKED + 100_000, { decided: true });
  expect(late.status).toBe('completed');
  expect(statusesOf(late)).toEqual(['rejected', 'expired', 'expired']);
});

it('a batch that parties decided is not hidden by a later attempt with the same bytes, which a freeze stopped', async () => {
  const attempt = refused(batch.id, 60_000, 'unauthorized', 'the user is frozen');
  const shown = await show(batchId, 61_000, { decided: true, refused: { [batchId]: attempt } });
  expect(statusesOf(shown)[0]).toBe('rejected');
});

it('an expired item has one status in its own record and in its batch', async () => {
  const accepted = {
    ...{ request_id: itemId, operation: batch.one.id, created_by: bot.id },
    ...{ created_at: new Date(0), expires_at: new Date(30_000) },
    ...{ batch_id: batchId, batch_index: 0 },
  };
  const swept = refused(batch.one.id, 45_000, 'gateway_timeout', 'expired before it was signed');
  const stored = {
    accepted: { [itemId]: accepted },
    refused: { [itemId]: { ...swept, request_id: itemId } },
  };
  const own = await show(itemId, 50_000, stored);
  const whole = await show(batchId, 50_000, stored);
  expect([own.status, ...statusesOf(whole)]).toEqual(['expired', 'expired']);
});
