import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { systemHistory, systemOperations } from '@countersign/api/system-operations-schema.js';
import { ALARM_KINDS } from '@countersign/core/alarm-statement.js';
import { deny } from '@countersign/core/denials.js';
import { refuse } from '@countersign/core/errors.js';
import { createMetrics } from '@countersign/runtime/metrics/metrics.js';
import { EMPTY_STATE, type PendingRequest } from '@countersign/vault/state/state.js';
import { insertRow } from '@countersign/vault/state/table.js';
import {
  alarmLines,
  FOLLOWED_LINES,
  followedLedger,
  raisedAlarms,
} from '../../../test/support/followed-ledger.ts';
import { createLedgerBuilder } from '../../../test/support/ledger-builder.ts';
import { metricLines } from '../../../test/support/metric-lines.ts';
import { refuseAssertion } from '../admission/refuse-assertion.js';
import { gatewayMetrics } from './gateway-metrics.js';
import { authenticationFaultOf, reasonOf } from '../http/refusal-reasons.js';
import { createRequestTally, type RequestTally } from '../http/request-tally.js';
import { summariesOf } from './stored-figures.js';
import type { FigureSources } from './figure-sources.js';
import { openSystemFigures, type SystemFigures } from './system-figures.js';
import { refuseTooOften } from '../http/public-error.js';

const REQUEST_ID = 'b7a69584-7362-8150-8f3e-2d1c0b9a8f7e';
const SECRET = 'Str0ng-Secret-Text';

let clock: number;
let asked: number;
let tally: RequestTally;
let sources: FigureSources;
let figures: SystemFigures;

beforeEach(() => {
  clock = 1_800_000_000_000;
  asked = 0;
  tally = createRequestTally();
  const ledger = createLedgerBuilder();
  const confirmedAt = clock - 100.4;
  sources = {
    gatewayId: 'gateway-1',
    startedAt: clock - 5_000,
    follower: {
      state: ledger.state,
      view: {
        state: ledger.state,
        optimistic: ledger.state,
        pending: [],
        countersignatures: new Map([
          [1, { party: 1, seq: 7, hash: Buffer.alloc(32), at: clock, rules: 2, newestRules: 3 }],
        ]),
        acknowledged: new Map([[1, 6]]),
        rules: 2,
      },
      get confirmedMsAgo() {
        return clock - confirmedAt;
      },
      fault: undefined,
    } as unknown as FigureSources['follower'],
    governance: { isAlive: true, waitingMs: undefined, look: () => undefined },
    dispatcher: {
      figures: { waiting: 2, underWay: 3, batches: 1, oldestAt: clock - 40 },
    },
    presence: {
      isAlive: (party) => party === 1,
      replicas: [
        { party: 1, name: SECRET, isPrimary: true, isProven: true, failures: 0, heardMsAgo: 0.4 },
      ],
      pairs: [
        {
          parties: [1, 2],
          breaker: 'open',
          counts: { answered: 5, retried: 1, lost: 4 },
          typicalMs: 12.345,
        },
      ],
    },
    queues: {
      figures: [
        { name: `countersign.sign.party_1.${SECRET}`, waiting: 3, oldestAt: clock - 70 },
        { name: 'scripts', waiting: 9, oldestAt: undefined },
      ],
    },
    prices: { state: () => 'ok', newest: () => [{ relay: 'east', at: clock - 900 }] },
    limits: { refused: { address: 1, credential: 2, failures: 3 } },
    tally,
    alarms: raisedAlarms('gateway'),
    pool: {
      totalCount: 4,
      idleCount: 3,
      waitingCount: 0,
      async query(text: string) {
        asked += 1;
        const alarm = { kind: 'forged_job', accused: 2, at: new Date(clock - 1), count: 3 };
        const stuck = { request_id: REQUEST_ID, operation: 'sign', waiting_ms: 6_000.4 };
        return { rows: text.includes('FROM alarm') ? [alarm] : [stuck] };
      },
    } as unknown as FigureSources['pool'],
    now: () => clock,
  };
  figures = openSystemFigures(sources);
});
afterEach(() => figures.stop());

/** Routes with answers, some of them with the caller's own text in them. */
function answerSome(): void {
  const sign = tally.open({ method: 'POST', path: '/v1/keys/{key_id}/sign' }, 'sign-with-key');
  sign.note(200, 12, undefined);
  sign.note(403, 3, deny('signing_policies', `denied by rule ${SECRET}`));
  sign.note(403, 3, deny('frozen', 'venue'));
  sign.note(504, 900, refuse('gateway_timeout', SECRET));
  sign.note(504, 0, refuseTooOften(SECRET, 1));
  const users = tally.open({ method: 'GET', path: '/v1/users' }, undefined);
  users.note(401, 1, refuse('unauthorized', SECRET));
  users.note(401, 1, refuse('unauthorized', 'the nonce was used before'));
}

const pairOf = {
  parties: [1, 2],
  breaker: 'open',
  counts: { answered: 5, retried: 1, lost: 4 },
  typicalMs: 12.345,
} as const;

function withPair(more: object): FigureSources['presence'] {
  return { isAlive: () => true, replicas: [], pairs: [{ ...pairOf, ...more } as never] };
}

/** Every figure another number: what is taken for another one shows. */
function eachItsOwn(common: FigureSources): FigureSources {
  const now = common.now();
  const { view, ...follower } = followedLedger(now);
  const heads = [7, 8, 9].map((seq, index) => [index + 1, { seq }] as const);
  const replica = { name: SECRET, isPrimary: false, isProven: true, failures: 0, heardMsAgo: 0 };
  const parties = [1, 2, 2, 3, 3, 3] as const;
  const queue = (party: number, name: string, waiting: number, waitedMs: number) => ({
    name: `countersign.sign.party_${party}.${name}`,
    waiting,
    oldestAt: now - waitedMs,
  });
  return {
    ...common,
    follower: {
      ...follower,
      view: {
        ...view,
        countersignatures: new Map(heads),
        acknowledged: new Map([
          [1, 4],
          [2, 5],
        ]),
      },
    } as unknown as FigureSources['follower'],
    governance: { isAlive: true, waitingMs: 2_500, look: () => undefined },
    presence: {
      isAlive: () => true,
      replicas: parties.map((party) => ({ ...replica, party })),
      pairs: [
        pairOf as never,
        {
          ...pairOf,
          parties: [3, 1],
          breaker: 'closed',
          counts: { answered: 6, retried: 2, lost: 3 },
        },
      ],
    },
    queues: {
      figures: [
        queue(1, 'a', 3, 70),
        queue(1, 'b', 10, 4_000),
        queue(3, 'a', 1, 250),
        { name: 'scripts', waiting: 9, oldestAt: now - 99_000 },
      ],
    },
  };
}

const SIGN = 'route="/v1/keys/{key_id}/sign",method="POST"';
const USERS = 'route="/v1/users",method="GET"';

/** All that {@link eachItsOwn}, {@link answerSome} and one more replay come to. */
const OWN_LINES = [
  ...alarmLines('gateway'),
  ...FOLLOWED_LINES,
  'countersign_auth_failures_total{reason="assertion"} 0',
  'countersign_auth_failures_total{reason="credential"} 1',
  'countersign_auth_failures_total{reason="replay"} 2',
  'countersign_auth_failures_total{reason="timestamp"} 0',
  'countersign_batches_total{pair="1-2",end="answered"} 5',
  'countersign_batches_total{pair="1-2",end="lost"} 4',
  'countersign_batches_total{pair="1-2",end="retried"} 1',
  'countersign_batches_total{pair="3-1",end="answered"} 6',
  'countersign_batches_total{pair="3-1",end="lost"} 3',
  'countersign_batches_total{pair="3-1",end="retried"} 2',
  'countersign_database_connections{pool="gateway",state="idle"} 3',
  'countersign_database_connections{pool="gateway",state="open"} 4',
  'countersign_database_connections{pool="gateway",state="waiting"} 0',
  'countersign_governance_waiting_seconds 2.5',
  `countersign_http_requests_total{${SIGN},code="200"} 1`,
  `countersign_http_requests_total{${SIGN},code="403"} 2`,
  `countersign_http_requests_total{${SIGN},code="504"} 2`,
  `countersign_http_requests_total{${USERS},code="401"} 3`,
  'countersign_pair_breaker_open{pair="1-2"} 1',
  'countersign_pair_breaker_open{pair="3-1"} 0',
  'countersign_party_head_seq{party="1"} 7',
  'countersign_party_head_seq{party="2"} 8',
  'countersign_party_head_seq{party="3"} 9',
  'countersign_party_obeys_seq{party="1"} 4',
  'countersign_party_obeys_seq{party="2"} 5',
  'countersign_party_obeys_seq{party="3"} 0',
  'countersign_party_replicas{party="1"} 1',
  'countersign_party_replicas{party="2"} 2',
  'countersign_party_replicas{party="3"} 3',
  'countersign_price_age_seconds{source="east"} 0.9',
  'countersign_prices_ok 1',
  'countersign_queue_jobs{queue="party_1",state="waiting"} 13',
  'countersign_queue_jobs{queue="party_2",state="waiting"} 0',
  'countersign_queue_jobs{queue="party_3",state="waiting"} 1',
  'countersign_queue_oldest_age_seconds{queue="party_1"} 4',
  'countersign_queue_oldest_age_seconds{queue="party_2"} 0',
  'countersign_queue_oldest_age_seconds{queue="party_3"} 0.25',
  'countersign_rate_limited_total{limit="address"} 1',
  'countersign_rate_limited_total{limit="credential"} 2',
  'countersign_rate_limited_total{limit="failures"} 3',
  `countersign_refused_total{${SIGN},reason="frozen"} 1`,
  `countersign_refused_total{${SIGN},reason="gateway_timeout"} 1`,
  `countersign_refused_total{${SIGN},reason="rules"} 1`,
  `countersign_refused_total{${SIGN},reason="too_often"} 1`,
  `countersign_refused_total{${USERS},reason="unauthorized"} 3`,
  'countersign_replay_rejected_total 2',
  'countersign_sign_duration_seconds_count 5',
  'countersign_sign_duration_seconds_sum 0.918',
  'countersign_sign_oldest_seconds 0.04',
  'countersign_sign_requests_total{kind="sign-with-key",result="denied"} 2',
  'countersign_sign_requests_total{kind="sign-with-key",result="failed"} 2',
  'countersign_sign_requests_total{kind="sign-with-key",result="succeeded"} 1',
  'countersign_sign_under_way 3',
  'countersign_sign_waiting 2',
];

describe('the figures', () => {
  it('have the form that the API promises', async () => {
    answerSome();
    const now = await figures.read();
    expect(systemOperations.parse(now)).toEqual(now);
    expect(now.signing).toMatchObject({
      succeeded: 1,
      denied: 2,
      failed: 2,
      waiting: 2,
      oldest_ms: 40,
      under_way: 3,
    });
    expect(now.refusals).toContainEqual({
      operation: 'POST /v1/keys/{key_id}/sign',
      reason: 'frozen',
      count: 1,
      total: 1,
    });
    expect(now.authentication_faults).toMatchObject({ credential: 1, replay: 1 });
    expect(now.parties[0]).toMatchObject({
      is_alive: true,
      head: { seq: 7, rules_version: 2 },
      obeys_seq: 6,
      replicas: [{ is_primary: true, heard_ms_ago: 0 }],
      queues: [{ depth: 3, oldest_ms: 70 }],
    });
    expect(now.parties[1]).toMatchObject({ is_alive: false, head: null, replicas: [], queues: [] });
    expect(now.stuck_requests).toEqual([
      { request_id: REQUEST_ID, operation: 'sign', waiting_ms: 6_000 },
    ]);
    expect(now.alarms).toMatchObject([{ kind: 'forged_job', count: 3, parties: [2] }]);
  });

  it('count what waits for approvals or a delay, and nothing that has ended', async () => {
    const { follower } = sources;
    const waiting = Array.from({ length: 7 }, () => 'waiting');
    const statuses = [...waiting, 'delayed', 'released', 'applied', 'rejected', 'expired'];
    const held = statuses.map(
      (status, index) => ({ id: `${index}`, status, call: {} }) as unknown as PendingRequest,
    );
    const pendingRequests = held.reduce(
      (table, row) => insertRow(table, row),
      EMPTY_STATE.pendingRequests,
    );
    const state = { ...follower.view.state, pendingRequests };
    figures.stop();
    figures = openSystemFigures({
      ...sources,
      follower: { ...follower, view: { ...follower.view, state } } as FigureSources['follower'],
    });
    expect((await figures.read()).ledger.held).toBe(8);
  });

  it('cost the database two questions a second, however many ask', async () => {
    await Promise.all(Array.from({ length: 100 }, () => figures.read()));
    expect(asked).toBe(2);
    clock += 1_000;
    await figures.read();
    expect(asked).toBe(4);
  });
});

describe('the metrics', () => {
  it('hold nothing that a caller or another process wrote', async () => {
    answerSome();
    const text = await (await createMetrics(gatewayMetrics(sources))).metrics();
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(REQUEST_ID);
    for (const line of [
      'countersign_http_requests_total{route="/v1/keys/{key_id}/sign",method="POST",code="200"} 1',
      'countersign_refused_total{route="/v1/keys/{key_id}/sign",method="POST",reason="rules"} 1',
      'countersign_refused_total{route="/v1/keys/{key_id}/sign",method="POST",reason="too_often"} 1',
      'countersign_sign_requests_total{kind="sign-with-key",result="denied"} 2',
      'countersign_auth_failures_total{reason="replay"} 1',
      'countersign_rate_limited_total{limit="failures"} 3',
      'countersign_queue_jobs{queue="party_1",state="waiting"} 3',
      'countersign_queue_oldest_age_seconds{queue="party_1"} 0.07',
      'countersign_pair_breaker_open{pair="1-2"} 1',
      'countersign_sign_duration_seconds_count 5',
      'countersign_price_age_seconds{source="east"} 0.9',
      'countersign_frozen{scope="system"} 0',
    ]) {
      expect(text.split('\n')).toContain(line);
    }
  });

  it('are its numbers, each once and under its own name and label', async () => {
    answerSome();
    tally.routes[1]!.note(401, 1, refuse('unauthorized', 'the nonce was used before'));
    expect(await metricLines(gatewayMetrics(eachItsOwn(sources)))).toEqual(OWN_LINES.toSorted());
  });

  it.each<[string, Partial<FigureSources>, string]>([
    [
      'of a pair that is being tried again',
      { presence: withPair({ breaker: 'tried' }) },
      'countersign_pair_breaker_open{pair="1-2"} 1',
    ],
    [
      'of a pair that is used',
      { presence: withPair({ breaker: 'closed' }) },
      'countersign_pair_breaker_open{pair="1-2"} 0',
    ],
    [
      'where nothing waits for two parties',
      { governance: { isAlive: true, waitingMs: undefined, look: () => undefined } },
      'countersign_governance_waiting_seconds 0',
    ],
    [
      'where nothing waits for a batch',
      {
        dispatcher: {
          figures: { waiting: 0, underWay: 0, batches: 0, oldestAt: undefined },
        },
      },
      'countersign_sign_oldest_seconds 0',
    ],
    [
      'without fresh prices',
      { prices: { state: () => 'unavailable', newest: () => [] } },
      'countersign_prices_ok 0',
    ],
  ])('%s say so', async (_name, more, line) => {
    expect(await metricLines(gatewayMetrics({ ...sources, ...more }))).toContain(line);
  });

  it('are no more after a flood of texts, statuses aside', async () => {
    // what prom-client says of the process beside ours (its handles by kind) changes by itself
    const count = async () =>
      (await (await createMetrics(gatewayMetrics(sources))).metrics())
        .split('\n')
        .filter((line) => line.startsWith('countersign_')).length;
    answerSome();
    const before = await count();
    expect(before).toBeGreaterThan(0);
    const [sign] = tally.routes;
    for (let index = 0; index < 1_000; index++) {
      sign!.note(403, index, deny('signing_policies', `denied by rule ${index}`));
      sign!.note(504, index, refuse('gateway_timeout', `${SECRET} ${index}`));
    }
    expect(await count()).toBe(before);
  });
});

describe('a reason', () => {
  it('is one of a few words', () => {
    expect(reasonOf(undefined)).toBe('other');
    expect(reasonOf(refuse('invalid_inputs', SECRET))).toBe('invalid_inputs');
    expect(reasonOf(deny('signing_policies', SECRET))).toBe('forbidden');
    expect(reasonOf(deny('frozen', 'system'))).toBe('frozen');
  });

  it('of 401 is read from what this gateway itself says', () => {
    const evidence = {
      scheme: 'ApiKey',
      method: 'GET',
      path: '/',
      query: '',
      body: Buffer.alloc(0),
    };
    const assertion = Buffer.alloc(64);
    const refused = refuseAssertion({ ...evidence, assertion } as never);
    expect(authenticationFaultOf(refused.message)).toBe('assertion');
    expect(authenticationFaultOf(SECRET)).toBe('credential');
  });
});

describe('alarms', () => {
  it('are summed by kind, each with what to do', () => {
    const row = (kind: string, accused: number | null, at: number) => ({
      kind,
      accused,
      at: new Date(at),
      count: 2,
    });
    const rows = [
      row('party_floods', 3, 9_000),
      row('new', null, 8_000),
      row('party_floods', 1, 7),
    ];
    expect(summariesOf(rows)).toMatchObject([
      { kind: 'party_floods', count: 4, parties: [1, 3], last_at: '1970-01-01T00:00:09.000Z' },
      { kind: 'unknown', count: 2, parties: [] },
    ]);
    const every = summariesOf(ALARM_KINDS.map((kind) => row(kind, null, 0)));
    expect(every.filter(({ what_to_do }) => what_to_do.length > 20)).toHaveLength(
      ALARM_KINDS.length,
    );
  });
});

describe('the history of a gateway', () => {
  it('has what it counted by the minute, and who is away since when', () => {
    answerSome();
    clock += 20_000;
    const history = figures.readHistory();
    expect(systemHistory.read(history)).toEqual({ value: history });
    expect(history).toMatchObject({
      gateway_id: 'gateway-1',
      minutes: {
        answered: [5],
        succeeded: [1],
        denied: [2],
        failed: [2],
        queued: [[3], [0], [0]],
      },
    });
    const from = new Date(clock).toISOString();
    expect(history.troubles).toEqual([
      { kind: 'pair_left_out', parties: [1, 2], from, to: null },
      { kind: 'party_away', parties: [3], from, to: null },
      { kind: 'party_away', parties: [2], from, to: null },
      { kind: 'ledger_unconfirmed', parties: [], from, to: null },
    ]);
  });

  it('calls nobody away before it can have heard of them', () => {
    expect(figures.readHistory().troubles).toEqual([]);
  });
});
