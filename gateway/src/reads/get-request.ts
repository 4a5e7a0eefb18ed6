import { getRequestOperation } from '@countersign/api/operations/requests.js';
import { isRefusal } from '@countersign/core/errors.js';
import { UUID_PATTERN } from '@countersign/core/hash.js';
import { recordedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
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
import { queryStore } from '../stores/ask-store.js';
import { readOperation, type ReadContext } from './read-operation.js';

export const getRequest = readOperation({
  ...getRequestOperation,
  async handle(context, { params }) {
    const requestId = params['request_id'] ?? '';
    const notFound = noSuchResource(requestId);
    if (!UUID_PATTERN.test(requestId)) return notFound;
    const outcome = context.journal.findByRequestId(requestId);
    if (outcome !== undefined) return (await readLedgerRecord(context, outcome)) ?? notFound;
    const waiting = findWaitingRequest(context.view, requestId);
    if (waiting !== undefined) {
      return maySee(context, waiting.createdBy)
        ? waitingRequestRecord(waiting, context.now)
        : notFound;
    }
    const row = await findSigningRequest(context.pool, requestId);
    if (row === undefined || !maySee(context, row.createdBy)) return notFound;
    return signingRequestRecord(context.view, row, context.now, context.evidenceKeys);
  },
});

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

interface JoinedRow {
  operation: string | null;
  created_by: string;
  created_at: Date;
  expires_at: Date | null;
  completed_at: Date | null;
  payload: Buffer | null;
  evidence: Buffer | null;
}

const FIND = `SELECT coalesce(result.operation, accepted.operation) AS operation,
    coalesce(result.created_by, accepted.created_by) AS created_by,
    coalesce(accepted.created_at, result.received_at) AS created_at,
    accepted.expires_at, result.completed_at, result.payload, result.evidence
  FROM (SELECT $1::uuid AS request_id) AS wanted
  LEFT JOIN request_result AS result USING (request_id)
  LEFT JOIN signing_request AS accepted USING (request_id)`;

async function findSigningRequest(
  pool: pg.Pool,
  requestId: string,
): Promise<SigningRequestRow | undefined> {
  const { rows } = await queryStore<JoinedRow>(pool, FIND, [requestId]);
  const row = rows[0];
  if (row === undefined || row.operation === null) return undefined;
  return {
    requestId,
    operation: row.operation,
    createdBy: row.created_by,
    createdAt: row.created_at.getTime(),
    expiresAt: row.expires_at?.getTime(),
    result: resultOf(row, requestId),
  };
}

function resultOf({ completed_at: completedAt, payload, evidence }: JoinedRow, requestId: string) {
  if (completedAt === null || payload === null || evidence === null) return undefined;
  return {
    completedAt: completedAt.getTime(),
    outcome: recordedOutcome(payload, requestId),
    sealedEvidence: evidence,
  };
}
