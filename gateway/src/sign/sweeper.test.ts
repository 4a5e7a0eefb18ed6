import { beforeEach, describe, expect, test } from '@jest/globals';
import { createLogger } from '@countersign/runtime/process/logger.js';
import type { CheckedResult } from '../requests/checked-results.js';
import type { RefusedRequest } from '../requests/refused-request.js';
import type { AcceptedItem, ExpiredRequest, ExpiryPlace, OpenRequest } from './signing-requests.js';
import { createSweepMemory, recordExpired, resend, type SweeperDeps } from './sweeper.js';

const keyId = '11111111-1111-4111-8111-111111111111';
const RESULT = {} as CheckedResult;

let open: OpenRequest[];
let expired: ExpiredRequest[];
let claimed: (ExpiredRequest & ExpiryPlace)[];
/** Ids of requests of which a row holds. */
let finished: Set<string>;
let checked: string[];
let sent: string[];
let recorded: RefusedRequest[];

beforeEach(() => {
  [open, expired, claimed, checked, sent, recorded] = [[], [], [], [], [], []];
  finished = new Set();
});

const deps: SweeperDeps = {
  requests: {
    findOpen: async () => open,
    readItems: async (ids) =>
      ids.map((id) => ({ item: { submission: id }, asked: {} }) as AcceptedItem),
    findExpired: async () => expired,
    findClaimed: async (after) => claimed.filter(({ expiresAt }) => expiresAt > after.expiresAt),
  },
  results: {
    async findAll(ids) {
      checked.push(...ids);
      return new Map(ids.filter((id) => finished.has(id)).map((id) => [id, RESULT]));
    },
  },
  dispatcher: {
    has: (submission) => submission === 'still under way',
    submitAll: (items) =>
      items.map(async ({ item }) => {
        sent.push(item.submission);
        return undefined;
      }),
  },
  refusals: { record: async (refused) => void recorded.push(refused) },
  logger: createLogger('test', 'silent'),
  now: () => 5,
};

const openRequest = (requestId: string, isClaimed: boolean, submission = requestId) => ({
  requestId,
  isClaimed,
  submission,
});

const expiredRequest = (requestId: string): ExpiredRequest => ({
  requestId,
  operation: 'raw-sign-with-key',
  createdBy: 'u',
  path: `/v1/keys/${keyId}/raw-sign`,
});

describe('a request that its gateway left', () => {
  test('is sent again, unless it is under way here', async () => {
    open = [openRequest('a', false), openRequest('b', false, 'still under way')];
    await resend(deps, createSweepMemory());
    expect(sent).toEqual(['a']);
    expect(checked).toEqual([]);
  });

  test('is not sent again when it has a result, which is checked once', async () => {
    const memory = createSweepMemory();
    open = [openRequest('a', true)];
    finished.add('a');
    await resend(deps, memory);
    await resend(deps, memory);
    expect(sent).toEqual([]);
    expect(checked).toEqual(['a']);
  });

  test('is sent again while all its rows are junk, until one of them holds', async () => {
    const memory = createSweepMemory();
    open = [openRequest('a', true)];
    await resend(deps, memory);
    await resend(deps, memory);
    expect(sent).toEqual(['a', 'a']);
    finished.add('a');
    await resend(deps, memory);
    expect(sent).toEqual(['a', 'a']);
  });

  test('is found among any number of others with junk', async () => {
    open = Array.from({ length: 500 }, (_, index) => openRequest(`junk ${index}`, true));
    open.push(openRequest('a', false));
    await resend(deps, createSweepMemory());
    expect(checked).toHaveLength(200);
    expect(sent).toContain('a');
  });
});

describe('a request that came to nothing in its time', () => {
  test('is on record as failed, with what it was about', async () => {
    expired = [expiredRequest('r')];
    await recordExpired(deps, createSweepMemory());
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

  test('is on record also where a party wrote junk, and not where a row holds; each is looked at once', async () => {
    const memory = createSweepMemory();
    claimed = ['junk', 'good'].map((requestId, index) => ({
      ...expiredRequest(requestId),
      expiresAt: `2026-01-0${index + 1}`,
    }));
    finished.add('good');
    await recordExpired(deps, memory);
    await recordExpired(deps, memory);
    expect(recorded.map(({ requestId }) => requestId)).toEqual(['junk']);
    expect(checked).toEqual(['junk', 'good']);
  });
});
