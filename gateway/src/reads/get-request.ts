import { getRequestOperation } from '@countersign/api/operations/requests.js';
import { isRefusal } from '@countersign/core/errors.js';
import { UUID_PATTERN } from '@countersign/core/hash.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { noSuchResource } from '@countersign/vault/operations/lookups.js';
import { authorizeAdmin } from '@countersign/vault/policy/admin-policy.js';
import type pg from 'pg';
import {
  findWaitingRequest,
  ledgerRequestRecord,
  mayReveal,
  signingRequestRecord,
  waitingRequestRecord,
  type RequestRecord,
  type SigningRequestRow,
} from '../requests/request-record.js';
import type { CheckedResult } from '../results/checked-results.js';
import { queryStore } from '../stores/ask-store.js';
import { readOperation, type ReadContext } from './read-operation.js';

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

/** Undefined for none, or none that the caller may see. */
async function findRecord(
  context: ReadContext,
  requestId: string,
): Promise<RequestRecord | undefined> {
  const { view, now, evidenceKeys } = context;
  const outcome = context.journal.findByRequestId(requestId);
  if (outcome !== undefined) return readLedgerRecord(context, outcome);
  const waiting = findWaitingRequest(view, requestId);
  if (waiting !== undefined) {
    return maySee(context, waiting.createdBy) ? waitingRequestRecord(waiting, now) : undefined;
  }
  const row = await findSigningRequest(context, requestId);
  if (row === undefined || !maySee(context, row.createdBy)) return undefined;
  return signingRequestRecord(view, row, now, evidenceKeys);
}

/**
 * A result is its creator's alone: a signature can be used by whoever reads it, and a signed venue request may
 * hold the passphrase of an account.
 */
function asShownTo({ id }: { readonly id: string }, record: RequestRecord): RequestRecord {
  if (record.created_by === id) return record;
  const { result: _result, ...shown } = record;
  return shown;
}

function maySee({ state, caller }: ReadContext, createdBy: string): boolean {
  return (
    caller.id === createdBy || !isRefusal(authorizeAdmin(state, caller, 'view_system_resources'))
  );
}

async function readLedgerRecord(
  context: ReadContext,
  outcome: EntryOutcome,
): Promise<RequestRecord | undefined> {
  const { state, view, evidenceKeys, caller, now } = context;
  if (outcome.actorId === undefined || !maySee(context, outcome.actorId)) return undefined;
  const record = ledgerRequestRecord(view, outcome, evidenceKeys, { withSecret: false, now });
  if (record?.status === 'processing') return withProgress(context, record, outcome);
  if (record?.result == null || !mayReveal(state, outcome, caller.id)) return record;
  return (await isFirstRead(context.pool, record.request_id))
    ? ledgerRequestRecord(view, outcome, evidenceKeys, { withSecret: true, now })
    : record;
}

/** How far a key generation has come, where somebody says. */
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

interface AcceptedRow {
  operation: string;
  created_by: string;
  created_at: Date;
  expires_at: Date;
}

const FIND_ACCEPTED = `SELECT operation, created_by, created_at, expires_at
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
  const { asked, createdBy, receivedAt: createdAt } = result;
  const operation = asked.operation.id;
  return { requestId, operation, createdBy, createdAt, expiresAt: undefined, result };
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
  };
}
