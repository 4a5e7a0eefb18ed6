import { getRequestOperation } from '@countersign/api/operations/requests.js';
import { isRefusal, type ErrType } from '@countersign/core/errors.js';
import { UUID_PATTERN } from '@countersign/core/hash.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { SIGNING_HOLDS } from '@countersign/vault/operations/signing-holds.js';
import { noSuchResource } from '@countersign/vault/operations/lookups.js';
import { authorizeAdmin } from '@countersign/vault/policy/admin-policy.js';
import { maySeePending } from '@countersign/vault/policy/approvals.js';
import { findPendingSigning } from '@countersign/vault/policy/released-approvals.js';
import type { PendingRequest } from '@countersign/vault/state/state.js';
import type pg from 'pg';
import { withWhatCameOfIt } from '../requests/pending-outcome.js';
import { endedSigningView, pendingSigningView } from './pending-signing-record.js';
import { findKeyEntry } from './key-entry.js';
import {
  findWaitingRequest,
  ledgerRequestRecord,
  mayReveal,
  refusedRequestRecord,
  signingRequestRecord,
  waitingRequestRecord,
  type RequestRecord,
  type SigningRequestRow,
} from '../requests/request-record.js';
import { batchRecord, findBatchItems } from '../requests/batch-record.js';
import type { CheckedResult } from '../requests/checked-results.js';
import { readPolicyText } from '../requests/refused-request.js';
import { queryStore } from '../stores/ask-store.js';
import { readOperation, type ReadContext } from './read-operation.js';
import { publicText } from '../http/public-error.js';

export const getRequest = readOperation({
  ...getRequestOperation,
  async handle(context, { params }) {
    const requestId = params['request_id'] ?? '';
    const notFound = noSuchResource(requestId);
    if (!UUID_PATTERN.test(requestId)) return notFound;
    const record = await findRecord(context, requestId);
    return record === undefined ? notFound : asShownTo(context.caller, record);
  },
});

/** Undefined if there is none, or none that the caller may see. */
async function findRecord(
  context: ReadContext,
  requestId: string,
): Promise<RequestRecord | undefined> {
  const { view, now, evidenceKeys } = context;
  const outcome = context.journal.findByRequestId(requestId);
  const held = findPendingSigning(context.state, requestId);
  if (held !== undefined) return readPendingSigning(context, held);
  // anybody may append a signing request: its refusal says nothing about what the parties signed
  if (outcome !== undefined && !isHold(outcome)) return readLedgerRecord(context, outcome);
  const waiting = findWaitingRequest(view, requestId);
  if (waiting !== undefined) {
    return maySee(context, waiting.createdBy) ? waitingRequestRecord(waiting) : undefined;
  }
  const row = await findSigningRequest(context, requestId);
  if (row !== undefined) {
    if (!maySee(context, row.createdBy)) return undefined;
    const record = signingRequestRecord(view, row, now, evidenceKeys);
    return withKeyEntry(context, keyInPath(record), record);
  }
  const record = await findWithoutRow(context, requestId);
  return record !== undefined && maySee(context, record.created_by) ? record : undefined;
}

/** Of a batch by its items, of what a gateway refused, or of what a caller was told to wait for. */
async function findWithoutRow(
  context: ReadContext,
  requestId: string,
): Promise<RequestRecord | undefined> {
  const { view, now, evidenceKeys } = context;
  const { optimistic } = view;
  // a later attempt with the same bytes may have been refused: that says nothing of what became of the items
  const items = await findBatchItems(context, requestId, now);
  const known =
    batchRecord(requestId, items, { optimistic, evidenceKeys }) ??
    (await findRefusedRequest(context, requestId));
  if (known !== undefined) return known;
  const promised = await findPromised(context, requestId);
  return promised && signingRequestRecord(view, promised, now, evidenceKeys);
}

/**
 * Only its creator sees a result: whoever reads a signature can use it, and a signed venue request may hold an
 * account's passphrase.
 */
function asShownTo({ id }: { readonly id: string }, record: RequestRecord): RequestRecord {
  if (record.created_by === id) return record;
  const { result: _result, ...shown } = record;
  return shown;
}

function isHold({ operation }: EntryOutcome): boolean {
  return SIGNING_HOLDS.some((hold) => hold === operation);
}

/** Once it is released, the parties' result is its result. */
async function readPendingSigning(
  context: ReadContext,
  held: PendingRequest,
): Promise<RequestRecord | undefined> {
  const { state, view, caller, now, evidenceKeys } = context;
  if (!maySeePending(state, held, caller)) return undefined;
  const record = await withKeyEntry(
    context,
    held.signing?.keyId,
    pendingSigningView(context, held),
  );
  if (held.releasedAt === undefined) return record;
  const row = await findSigningRequest(context, held.id);
  return row?.result === undefined
    ? record
    : endedSigningView(record, signingRequestRecord(view, row, now, evidenceKeys));
}

/** Requests to venues are signed by keys that their path names. */
function keyInPath({ content }: RequestRecord): string | undefined {
  return /^\/v1\/keys\/([^/]+)\//.exec(content?.path ?? '')?.[1];
}

/** Adds the key's entry if the content is shown and is for a venue. */
async function withKeyEntry(
  context: ReadContext,
  keyId: string | undefined,
  record: RequestRecord,
): Promise<RequestRecord> {
  const key = context.state.keys.rows.get(keyId ?? '');
  if (record.content === undefined || key === undefined || key.venueId === null) return record;
  const entry = await findKeyEntry(context, key.id);
  return entry === undefined ? record : { ...record, key_entry: entry };
}

function maySee({ state, caller }: ReadContext, createdBy: string): boolean {
  return (
    caller.id === createdBy || !isRefusal(authorizeAdmin(state, caller, 'view_system_resources'))
  );
}

/** Whoever is, or was, asked to approve it may see it as well. */
function mayDecide({ state, caller }: ReadContext, outcome: EntryOutcome): boolean {
  const { held } = withWhatCameOfIt(state, outcome);
  return held !== undefined && maySeePending(state, held, caller);
}

async function readLedgerRecord(
  context: ReadContext,
  outcome: EntryOutcome,
): Promise<RequestRecord | undefined> {
  const { state, view, evidenceKeys, caller, now } = context;
  if (outcome.actorId === undefined) return undefined;
  if (!maySee(context, outcome.actorId) && !mayDecide(context, outcome)) return undefined;
  const record = ledgerRequestRecord(view, outcome, evidenceKeys, { withSecret: false, now });
  if (record?.status === 'processing') {
    return withProgress(context, record, withWhatCameOfIt(state, outcome).outcome);
  }
  if (record?.result == null || !mayReveal(state, outcome, caller.id)) return record;
  return (await isFirstRead(context.pool, record.request_id))
    ? ledgerRequestRecord(view, outcome, evidenceKeys, { withSecret: true, now })
    : record;
}

/** Adds the progress of a key generation, if it is known. */
async function withProgress(
  { keyProgress }: ReadContext,
  record: RequestRecord,
  { subject }: EntryOutcome,
): Promise<RequestRecord> {
  const keyId = subject?.keyIds?.[0];
  const progress = keyId === undefined ? undefined : await keyProgress(keyId);
  if (progress === undefined) return record;
  const { tried, expected } = progress;
  return { ...record, progress: { candidates_tried: tried, candidates_expected: expected } };
}

/** True once per request, whichever gateway asks: a secret is shown once. */
async function isFirstRead(pool: pg.Pool, requestId: string): Promise<boolean> {
  const { rowCount } = await queryStore(
    pool,
    'INSERT INTO secret_reveal (request_id, revealed_at) VALUES ($1, now()) ON CONFLICT DO NOTHING',
    [requestId],
  );
  return rowCount === 1;
}

const FIND_REFUSED = `SELECT action, actor, at, err_type, reason, policy FROM refused_request
  WHERE request_id = $1 ORDER BY at LIMIT 1`;

interface RefusedRow {
  action: string;
  actor: string;
  at: Date;
  err_type: ErrType;
  reason: string;
  policy: string | null;
}

/** The record of a request that a gateway refused: neither ledger nor party ever saw it. */
async function findRefusedRequest(
  { pool }: Pick<ReadContext, 'pool'>,
  requestId: string,
): Promise<RequestRecord | undefined> {
  const { rows } = await queryStore<RefusedRow>(pool, FIND_REFUSED, [requestId]);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { err_type: refused, reason: message } = row;
  const reason = publicText({ refused, message, policy: readPolicyText(row.policy) });
  return refusedRequestRecord({ ...row, requestId, reason });
}

const FIND_PROMISED = `SELECT operation, created_by, created_at FROM promised_request
  WHERE request_id = $1`;

/** A request whose id was told to a caller who repeated it, while nothing else was known of it. */
async function findPromised(
  { pool }: Pick<ReadContext, 'pool'>,
  requestId: string,
): Promise<SigningRequestRow | undefined> {
  const { rows } = await queryStore<PromisedRow>(pool, FIND_PROMISED, [requestId]);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { operation, created_by: createdBy, created_at } = row;
  const createdAt = created_at.getTime();
  return { requestId, operation, createdBy, createdAt, expiresAt: undefined, result: undefined };
}

type PromisedRow = Pick<AcceptedRow, 'operation' | 'created_by' | 'created_at'>;

interface AcceptedRow {
  operation: string;
  created_by: string;
  created_at: Date;
  expires_at: Date;
  batch_id: string | null;
  batch_index: number | null;
}

const FIND_ACCEPTED = `SELECT operation, created_by, created_at, expires_at, batch_id, batch_index
  FROM signing_request WHERE request_id = $1`;

async function findSigningRequest(
  { pool, results }: Pick<ReadContext, 'pool' | 'results'>,
  requestId: string,
): Promise<SigningRequestRow | undefined> {
  const [result, { rows }] = await Promise.all([
    results.find(requestId),
    queryStore<AcceptedRow>(pool, FIND_ACCEPTED, [requestId]),
  ]);
  const accepted = rows[0];
  if (accepted !== undefined) return acceptedRow(requestId, accepted, result);
  if (result === undefined) return undefined;
  const { asked, createdBy, receivedAt: createdAt, batch } = result;
  const operation = asked.operation.id;
  const row = { requestId, operation, createdBy, createdAt, expiresAt: undefined, result };
  return batch === undefined ? row : { ...row, batch };
}

function acceptedRow(
  requestId: string,
  accepted: AcceptedRow,
  result: CheckedResult | undefined,
): SigningRequestRow {
  return {
    requestId,
    operation: accepted.operation,
    createdBy: accepted.created_by,
    createdAt: accepted.created_at.getTime(),
    expiresAt: accepted.expires_at.getTime(),
    result,
    ...batchOf(accepted, result),
  };
}

/** As the evidence of its result says; of one that still waits as this service wrote it down. */
function batchOf(
  { batch_id: id, batch_index: index }: AcceptedRow,
  result: CheckedResult | undefined,
): Pick<SigningRequestRow, 'batch'> {
  if (result?.batch !== undefined) return { batch: result.batch };
  return id == null || index == null ? {} : { batch: { request_id: id, index } };
}
