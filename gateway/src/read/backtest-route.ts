/** Tries a draft of signing policies on recorded requests. It signs and writes nothing. */
import { DEFAULT_BACKTEST_REQUESTS, type backtest } from '@countersign/api/backtest-schema.js';
import { timeView } from '@countersign/api/common-schema.js';
import { backtestSigningPoliciesOperation } from '@countersign/api/operations/signing-policies.js';
import { isRefusal, type Refusal, type RuleReference } from '@countersign/core/errors.js';
import { sha256 } from '@countersign/core/hash.js';
import { CATALOGUES } from '@countersign/vault/catalogues/todays-catalogues.js';
import {
  openBacktest,
  replayRequest,
  type Backtest,
  type RecordedRequest,
  type Replayed,
} from '@countersign/vault/operations/backtest.js';
import { findRow } from '@countersign/vault/operations/lookups.js';
import { vaultsOfGroup } from '@countersign/vault/operations/signing-policies.js';
import type * as s from '@countersign/core/shapes.js';
import { readOperation, type ReadContext, type ReadOperation } from './read-operation.js';
import { createFairShare } from './fair-share.js';
import {
  findRecorded,
  placeBefore,
  type PlacedRequest,
  type RecordPlace,
} from './recorded-requests.js';
import { ApiError } from '../http/public-error.js';

type Body = s.OutputOf<typeof backtestSigningPoliciesOperation.body>;
type Answer = s.InputOf<typeof backtest>;

/** Rows of a page; two pages are in memory at once. */
const PAGE = 200;

/**
 * One backtest at a time in this gateway: another caller is told to come again. `openShare` makes, for each answer, a
 * function that is called after every request that was looked at, and shares the event loop.
 */
export function createBacktestRoute(openShare = createFairShare): ReadOperation {
  let isBusy = false;
  return readOperation({
    ...backtestSigningPoliciesOperation,
    vaultIds: (state, { body }) => vaultsOfGroup(state, body.security_group_id),
    async handle(context, { body }) {
      const start = openAnswer(context, body);
      if (isRefusal(start)) return start;
      if (isBusy) {
        throw new ApiError('gateway_timeout', 'another backtest is under way', { retryAfterS: 1 });
      }
      isBusy = true;
      try {
        return await answerBacktest(context, body, { ...start, share: openShare() });
      } finally {
        isBusy = false;
      }
    },
  });
}

interface Start {
  readonly tried: Backtest;
  /** Cursors of this backtest are bound to it. */
  readonly scope: string;
  readonly after: RecordPlace;
}

interface Tried extends Start {
  /** Gives other work its turn. */
  share(): Promise<void>;
}

function openAnswer({ state, caller, cursors }: ReadContext, body: Body): Start | Refusal {
  const group = findRow(state.securityGroups, body.security_group_id);
  if (isRefusal(group)) return group;
  const draft = body.policies?.map(({ rules }) => rules) ?? [body.rules ?? []];
  const tried = openBacktest(state, group, draft, CATALOGUES);
  if (isRefusal(tried)) return tried;
  const { cursor, limit: _limit, ...what } = body;
  const hash = sha256(JSON.stringify(what)).toString('hex');
  const scope = JSON.stringify(['backtest', caller.id, hash]);
  if (cursor === undefined) return { tried, scope, after: placeBefore(body.from) };
  const position = cursors.open(scope, cursor);
  if (isRefusal(position)) return position;
  const [at, requestId] = position.split(' ');
  return { tried, scope, after: { at: at!, requestId: requestId! } };
}

/** Stops when nobody waits for the answer any more. */
async function answerBacktest(
  { pool, evidenceKeys, cursors, isGone }: ReadContext,
  { to, limit = DEFAULT_BACKTEST_REQUESTS, show = 'changed' }: Body,
  { tried, scope, after: first, share }: Tried,
): Promise<Answer> {
  const results: Answer['results'] = [];
  const totals = { ...NOTHING };
  const read = (after: RecordPlace, size: number) =>
    findRecorded(pool, evidenceKeys, after, to, size);
  let after = first;
  for await (const { rows, isEnd } of readAhead(read, first, limit)) {
    for (const { place, read: readRequest } of rows) {
      after = place;
      const request = readRequest();
      const replayed = replayRequest(tried, request);
      if (replayed !== undefined) {
        count(totals, replayed);
        if (show === 'all' || replayed.change !== 'same') {
          results.push(replayedView(tried, request, replayed));
        }
      }
      await share();
      if (isGone()) return { results, totals, next_cursor: null };
    }
    if (isEnd) return { results, totals, next_cursor: null };
  }
  return { results, totals, next_cursor: cursors.seal(scope, `${after.at} ${after.requestId}`) };
}

const NOTHING: Answer['totals'] = {
  requests: 0,
  same: 0,
  newly_allowed: 0,
  newly_denied: 0,
  needs_approvals: 0,
  cannot_say: 0,
  has_limit: 0,
};

function count(totals: Answer['totals'], replayed: Replayed): void {
  totals.requests += 1;
  totals[replayed.change] += 1;
  if (hasLimit(replayed)) totals.has_limit += 1;
}

interface RecordedPage {
  readonly rows: readonly PlacedRequest[];
  /** Whether nothing follows. */
  readonly isEnd: boolean;
}

/** Reads pages, `limit` rows at most in all: the next page is fetched while one is looked at. */
async function* readAhead(
  read: (after: RecordPlace, size: number) => Promise<PlacedRequest[]>,
  first: RecordPlace,
  limit: number,
): AsyncGenerator<RecordedPage, void, undefined> {
  let left = limit;
  const begin = (after: RecordPlace) => {
    const size = Math.min(PAGE, left);
    left -= size;
    const rows = read(after, size);
    rows.catch(() => undefined); // whoever takes the page gets the error
    return { size, rows };
  };
  let next: ReturnType<typeof begin> | undefined = begin(first);
  while (next !== undefined) {
    const rows: readonly PlacedRequest[] = await next.rows;
    const isEnd: boolean = rows.length < next.size;
    next = isEnd || left === 0 ? undefined : begin(rows.at(-1)!.place);
    yield { rows, isEnd };
  }
}

function hasLimit({ decision }: Replayed): boolean {
  return decision?.claim !== undefined;
}

function replayedView(
  { places }: Backtest,
  { requestId, userId, receivedAt, isAllowed, reason, policy }: RecordedRequest,
  replayed: Replayed,
): Answer['results'][number] {
  const { operation, target, change, because, decision } = replayed;
  const { key, wallet } = target;
  const place = places.get(decision?.policy?.ruleId ?? '');
  return {
    request_id: requestId,
    operation,
    user_id: userId,
    ...(key !== undefined && { key_id: key.id }),
    ...(wallet !== undefined && { wallet_id: wallet.id }),
    received_at: timeView(receivedAt),
    change,
    ...(because !== undefined && { because }),
    recorded: { outcome: isAllowed ? 'allow' : 'deny', reason, policy: ruleView(policy) },
    draft:
      decision === undefined
        ? null
        : {
            outcome: decision.outcome,
            reason: decision.reason,
            policy: ruleView(decision.policy),
            ...(place !== undefined && { place }),
            has_limit: hasLimit(replayed),
          },
  };
}

function ruleView(policy: Partial<RuleReference> | undefined) {
  const { id, version, ruleId } = policy ?? {};
  return id === undefined || version === undefined || ruleId === undefined
    ? null
    : { id, version, rule_id: ruleId };
}
