import { beforeAll, describe, expect, it } from '@jest/globals';
import { digestOf, requestIdOf } from '@countersign/core/evidence.js';
import { sealEvidence } from '@countersign/core/write-evidence.js';
import type pg from 'pg';
import {
  createLedgerBuilder,
  START,
  type LedgerBuilder,
} from '../../../test/support/ledger-builder.js';
import { createCursors } from './cursor.js';
import type { ReadContext } from './read-operation.js';
import { createBacktestRoute } from './backtest-route.js';
import { ApiError } from '../http/public-error.js';

const DAY_MS = 86_400_000;

let ledger: LedgerBuilder;
let keyId: string;
let groupId: string;

beforeAll(() => {
  ledger = createLedgerBuilder();
  const { admin } = ledger;
  keyId = ledger.must(admin, 'POST', '/v1/keys', { type: 'ed25519', display_name: 'Key' });
  for (const party of [1, 2, 3] as const) ledger.attest(party, keyId);
  groupId = ledger.must(admin, 'POST', '/v1/security-groups', {
    display_name: 'Desk',
    members: [{ member_id: keyId, member_type: 'key' }],
  });
});

interface Row {
  at_us: string;
  request_id: string;
  [column: string]: unknown;
}

/** Rows of requests that were signed, a millisecond apart, as PostgreSQL gives them. */
function rowsOf(count: number): Row[] {
  return Array.from({ length: count }, (_, index) => {
    const target = `/v1/keys/${keyId}/raw-sign`;
    const evidence = ledger.evidenceOf(ledger.admin, 'POST', target, { message: 'aGk=' });
    return {
      at_us: `${(START + index) * 1_000}`,
      request_id: requestIdOf(digestOf(evidence)),
      action: 'raw-sign-with-key',
      actor: ledger.admin.id,
      key_id: keyId,
      received_ms: `${START + index}`,
      is_allowed: true,
      reason: null,
      policy: `${groupId}/v3/${keyId}`,
      evidence: sealEvidence(evidence, ledger.keys),
    };
  });
}

/** A store with these rows; `onQuery` is told of every look at it. */
function storeOf(rows: readonly Row[], onQuery: () => unknown = () => undefined): pg.Pool {
  const query = async (_query: unknown, [at, id, to, limit]: [string, string, number, number]) => {
    await onQuery();
    const behind = rows.filter(
      (row) =>
        (BigInt(row.at_us) > BigInt(at) || (row.at_us === at && row.request_id > id)) &&
        Number(row.at_us) < to,
    );
    return { rows: behind.slice(0, limit) };
  };
  return { query } as unknown as pg.Pool;
}

type Route = ReturnType<typeof createBacktestRoute>;

function ask(route: Route, pool: pg.Pool, fields: object = {}, isGone = () => false) {
  const context = {
    state: ledger.state,
    caller: { id: 'caller' },
    cursors: createCursors(Buffer.alloc(32)),
    pool,
    evidenceKeys: ledger.keys,
    isGone,
  } as unknown as ReadContext;
  const body = {
    security_group_id: groupId,
    rules: [{ display_name: 'x', when: {}, then: 'deny' }],
    from: new Date(START).toISOString(),
    to: new Date(START + DAY_MS).toISOString(),
    ...fields,
  };
  const input = { params: {}, query: {}, body: route.body.parse(body) };
  return Promise.resolve(route.handle(context, input)) as Promise<{
    results: { request_id: string }[];
    totals: Record<string, number>;
    next_cursor: string | null;
  }>;
}

describe('a backtest', () => {
  it('goes through the period answer by answer, each request once', async () => {
    const rows = rowsOf(450);
    const route = createBacktestRoute();
    const seen: string[] = [];
    let cursor: string | null | undefined;
    let newlyDenied = 0;
    do {
      const answer = await ask(route, storeOf(rows), { limit: 210, ...(cursor && { cursor }) });
      seen.push(...answer.results.map((result) => result.request_id));
      newlyDenied += answer.totals['newly_denied']!;
      cursor = answer.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual(rows.map((row) => row.request_id));
    expect(newlyDenied).toBe(450);
  });

  it('tells what was recorded and what the draft says, and no credential', async () => {
    const answer = await ask(createBacktestRoute(), storeOf(rowsOf(1)));
    expect(answer.results).toEqual([
      {
        request_id: expect.any(String),
        operation: 'raw_sign',
        user_id: ledger.admin.id,
        key_id: keyId,
        received_at: new Date(START).toISOString(),
        change: 'newly_denied',
        recorded: {
          outcome: 'allow',
          reason: null,
          policy: { id: groupId, version: 3, rule_id: keyId },
        },
        draft: {
          outcome: 'deny',
          reason: expect.stringContaining('denied by rule'),
          policy: expect.any(Object),
          place: 'policies.0.rules.0',
          has_limit: false,
        },
      },
    ]);
    expect(JSON.stringify(answer)).not.toContain(ledger.admin.apiKey);
  });

  it('leaves out what stays the same, unless all is asked for', async () => {
    const rules = [
      {
        display_name: 'x',
        when: { operations: ['raw_sign'], initiators: 'anyone' },
        then: 'allow',
      },
    ];
    const store = storeOf(rowsOf(3));
    const changed = await ask(createBacktestRoute(), store, { rules });
    expect([changed.results.length, changed.totals['same']]).toEqual([0, 3]);
    expect((await ask(createBacktestRoute(), store, { rules, show: 'all' })).results).toHaveLength(
      3,
    );
  });

  it('cannot tell of a row that holds another request, or is sealed for nobody here', async () => {
    const [one, other] = rowsOf(2);
    const swapped = [
      { ...one!, evidence: other!['evidence'] },
      { ...other!, evidence: Buffer.from('no evidence') },
    ];
    const { totals, results } = await ask(createBacktestRoute(), storeOf(swapped));
    expect(totals).toMatchObject({ requests: 2, cannot_say: 2 });
    expect(results).toMatchObject([
      { because: 'the record holds another request', draft: null },
      { because: 'the record cannot be read', draft: null },
    ]);
  });

  it('goes on with the same body and caller alone', async () => {
    const store = storeOf(rowsOf(3));
    const route = createBacktestRoute();
    const { next_cursor: cursor } = await ask(route, store, { limit: 1 });
    const fields = { limit: 1, cursor, show: 'all' };
    expect(await ask(route, store, fields)).toMatchObject({ refused: 'parse_error' });
  });

  it('is one at a time: another is told to come again, and comes when it is over', async () => {
    const route = createBacktestRoute();
    let letGo = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    const first = ask(
      route,
      storeOf(rowsOf(1), () => held),
    );
    const second = ask(route, storeOf(rowsOf(1)));
    await expect(second).rejects.toThrow(ApiError);
    await expect(second).rejects.toMatchObject({ errType: 'gateway_timeout', retryAfterS: 1 });
    letGo();
    expect((await first).totals).toMatchObject({ requests: 1 });
    expect((await ask(route, storeOf(rowsOf(1)))).totals).toMatchObject({ requests: 1 });
  });

  it('is over for others also where the store failed', async () => {
    const route = createBacktestRoute();
    const broken = storeOf([], () => {
      throw new Error('Connection terminated unexpectedly');
    });
    await expect(ask(route, broken)).rejects.toMatchObject({ errType: 'gateway_timeout' });
    expect((await ask(route, storeOf([]))).next_cursor).toBeNull();
  });

  it('lets others have their turn behind every request that it looks at', async () => {
    const lookedAt: number[] = [];
    let since = 0;
    const look = { get: () => ((since += 1), null) };
    const rows = rowsOf(450).map((row) => Object.defineProperty(row, 'evidence', look));
    const route = createBacktestRoute(() => async () => {
      lookedAt.push(since);
      since = 0;
    });
    expect((await ask(route, storeOf(rows))).totals['cannot_say']).toBe(450);
    expect(lookedAt).toEqual(Array(450).fill(1));
  });

  it('reads nothing more for a caller who is gone', async () => {
    let looks = 0;
    const store = storeOf(rowsOf(900), () => (looks += 1));
    await ask(createBacktestRoute(), store, {}, () => looks > 1);
    expect(looks).toBe(2);
  });
});
