/**
 * What became of the items of a batch, from where each is stored: it has no record of its own. The ids of its items
 * follow from its id.
 */
import { timeView } from '@countersign/api/common-schema.js';
import { itemIdsOf } from '@countersign/core/batch-item.js';
import { refuse, type ErrType, type Refusal } from '@countersign/core/errors.js';
import type { Evidence } from '@countersign/core/evidence.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { SIGN_SETTLES_MS, SIGN_TIME_TO_LIVE_MS } from '@countersign/runtime/jobs/names.js';
import type { RecordedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import { askedSigning } from '@countersign/vault/operations/asked-signing.js';
import { SIGNING_BATCHES } from '@countersign/vault/operations/signing-batches.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import { queryStore, type Store } from '../stores/ask-store.js';
import type { AskedRequest } from './asked-request.js';
import type { CheckedResults } from './checked-results.js';
import { readPolicyText } from './refused-request.js';
import { contentView, type RequestRecord } from './request-record.js';
import { answerOfSignResult, refusalOfDenied, refuseWhileFrozen } from './sign-answer.js';
import { errorBody } from '../http/error-response.js';

/** One item's end; undefined while it has none. */
export type ItemEnd =
  | { readonly outcome: RecordedOutcome; readonly asked: AskedRequest }
  | { readonly refusal: Refusal }
  | undefined;

export interface BatchItem {
  readonly itemId: string;
  readonly index: number;
  readonly operation: string;
  readonly createdBy: string;
  /** ms, as below. */
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly completedAt: number | undefined;
  readonly end: ItemEnd;
  /** What asked for it, where two parties have decided about it. */
  readonly evidence?: Evidence;
}

export const EXPIRED = refuse('gateway_timeout', 'expired before it was signed');

/** The answer for an item that ended. `createdBy`: who asked. */
export function itemView(
  { itemId: item_id, index }: Pick<BatchItem, 'itemId' | 'index'>,
  end: NonNullable<ItemEnd>,
  createdBy: string,
  by: { readonly optimistic: VaultState; readonly evidenceKeys: EvidenceKeys },
): Record<string, unknown> {
  const place = { item_id, index };
  if ('refusal' in end) return { ...place, ...refusalView(end.refusal) };
  const { outcome, asked } = end;
  if (outcome.outcome === 'denied') return { ...place, ...refusalView(refusalOfDenied(outcome)) };
  // a signature that was given before a freeze and is asked for after it is not handed out
  const frozen = refuseWhileFrozen(by.optimistic, outcome, createdBy);
  if (frozen !== undefined) return { ...place, ...refusalView(frozen) };
  const answer = answerOfSignResult(asked, outcome, by.evidenceKeys) as object;
  return { ...place, status: 'signed', ...answer };
}

const FAILURES: readonly ErrType[] = ['internal_server_error', 'gateway_timeout'];

function refusalView(refusal: Refusal): Record<string, unknown> {
  const status = FAILURES.includes(refusal.refused) ? 'failed' : 'denied';
  return { status, ...errorBody(refusal) };
}

/** In their order; empty if there is no such batch. `now`: ms. */
export async function findBatchItems(
  { pool, results }: { readonly pool: Store; readonly results: Pick<CheckedResults, 'findAll'> },
  requestId: string,
  now: number,
): Promise<BatchItem[]> {
  const ids = itemIdsOf(requestId);
  const [found, accepted, refused] = await Promise.all([
    results.findAll(ids),
    queryStore<AcceptedRow>(pool, FIND_ACCEPTED, [ids]),
    queryStore<RefusedRow>(pool, FIND_REFUSED, [ids]),
  ]);
  const acceptedBy = new Map(accepted.rows.map((row) => [row.request_id, row]));
  const refusedBy = new Map(refused.rows.map((row) => [row.request_id, row]));
  const known = ids.flatMap((itemId, index): BatchItem[] => {
    const [wait, no, result] = [acceptedBy.get(itemId), refusedBy.get(itemId), found.get(itemId)];
    const place = { itemId, index, expiresAt: wait?.expires_at.getTime() };
    if (result !== undefined) {
      const { asked, createdBy, receivedAt: createdAt, completedAt, evidence } = result;
      const operation = asked.operation.id;
      return [{ ...place, operation, createdBy, createdAt, completedAt, end: result, evidence }];
    }
    // as in the item's own record: that it came to no answer in time ends what was accepted no sooner than its time
    const isLate = wait !== undefined && no?.err_type === EXPIRED.refused;
    if (no !== undefined && !isLate) return [{ ...place, ...refusedItem(no) }];
    return wait === undefined ? [] : [{ ...place, ...acceptedItem(wait, now) }];
  });
  return withoutRecord(ids, known, now);
}

/** With those that nothing is known of yet: a batch may leave in several jobs, and some of them end before the others. */
function withoutRecord(ids: readonly string[], known: BatchItem[], now: number): BatchItem[] {
  const decided = known.find(({ evidence }) => evidence !== undefined);
  if (decided?.evidence === undefined) return known;
  const { evidence, operation, createdBy, createdAt } = decided;
  const { batch } = askedSigning(evidence, decided.index);
  if (batch === undefined) return known;
  const byIndex = new Map(known.map((item) => [item.index, item]));
  const expiresAt = createdAt + SIGN_TIME_TO_LIVE_MS;
  const end = now >= expiresAt + SIGN_SETTLES_MS ? { refusal: EXPIRED } : undefined;
  return ids.slice(0, batch.size).map((itemId, index) => {
    const missing = { itemId, index, operation, createdBy, createdAt, expiresAt, end };
    return byIndex.get(index) ?? { ...missing, completedAt: undefined };
  });
}

type ItemFacts = Omit<BatchItem, 'itemId' | 'index' | 'expiresAt'>;

function refusedItem({ action, actor, at, err_type, reason, policy }: RefusedRow): ItemFacts {
  const refusal = { refused: err_type, message: reason, policy: readPolicyText(policy) };
  const [createdAt, completedAt] = [at.getTime(), at.getTime()];
  return { operation: action, createdBy: actor, createdAt, completedAt, end: { refusal } };
}

/** Until it has settled, what was signed in time may still come. */
function acceptedItem(row: AcceptedRow, now: number): ItemFacts {
  const { operation, created_by: createdBy } = row;
  const isOver = now >= row.expires_at.getTime() + SIGN_SETTLES_MS;
  return {
    operation,
    createdBy,
    createdAt: row.created_at.getTime(),
    completedAt: undefined,
    end: isOver ? { refusal: EXPIRED } : undefined,
  };
}

/** The record of a batch, by its items; undefined for none. */
export function batchRecord(
  requestId: string,
  items: readonly BatchItem[],
  by: { readonly optimistic: VaultState; readonly evidenceKeys: EvidenceKeys },
): RequestRecord | undefined {
  const [first] = items;
  if (first === undefined) return undefined;
  const { createdBy } = first;
  const expiresAt = items.flatMap((item) => item.expiresAt ?? []);
  const common = {
    request_id: requestId,
    operation: SIGNING_BATCHES.find(({ one }) => one.id === first.operation)?.id ?? first.operation,
    created_at: timeView(Math.min(...items.map(({ createdAt }) => createdAt))),
    created_by: createdBy,
    expires_at: expiresAt.length === 0 ? null : timeView(Math.max(...expiresAt)),
    approvals: { required: 0, given: [] },
    ...contentOf(items),
    items: items.map((item) => ({
      request_id: item.itemId,
      index: item.index,
      status: statusOf(item.end),
    })),
  };
  const results = items.flatMap((item) =>
    item.end === undefined ? [] : [itemView(item, item.end, createdBy, by)],
  );
  if (results.length < items.length) return { ...common, status: 'processing', phase: 'queued' };
  const completed = items.flatMap(({ completedAt }) => completedAt ?? []);
  return {
    ...common,
    status: 'completed',
    ...(completed.length > 0 && { completed_at: timeView(Math.max(...completed)) }),
    result: { request_id: requestId, results },
  };
}

/** What was asked for, once parties have decided about an item: all have the same evidence. */
function contentOf(items: readonly BatchItem[]): Pick<RequestRecord, 'content'> {
  const evidence = items.find((item) => item.evidence !== undefined)?.evidence;
  return evidence === undefined ? {} : { content: contentView(evidence) };
}

/** As in the record of the item. */
function statusOf(end: ItemEnd): RequestRecord['status'] {
  if (end === undefined) return 'processing';
  if ('refusal' in end) {
    if (end.refusal === EXPIRED) return 'expired';
    return FAILURES.includes(end.refusal.refused) ? 'failed' : 'rejected';
  }
  return end.outcome.outcome === 'signed' ? 'completed' : 'rejected';
}

interface AcceptedRow {
  request_id: string;
  operation: string;
  created_by: string;
  created_at: Date;
  expires_at: Date;
}

const FIND_ACCEPTED = `SELECT request_id, operation, created_by, created_at, expires_at
  FROM signing_request WHERE request_id = ANY($1::uuid[])`;

interface RefusedRow {
  request_id: string;
  action: string;
  actor: string;
  at: Date;
  err_type: ErrType;
  reason: string;
  policy: string | null;
}

const FIND_REFUSED = `SELECT DISTINCT ON (request_id) request_id, action, actor, at, err_type, reason, policy
  FROM refused_request WHERE request_id = ANY($1::uuid[]) ORDER BY request_id, at`;
