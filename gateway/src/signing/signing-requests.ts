/** Signing requests that were answered 202: kept so that any gateway can bring them to an end. */
import { decodeSealedEvidence, openEvidence, sealEvidence } from '@countersign/core/evidence.js';
import type { Evidence } from '@countersign/core/evidence.js';
import type { EvidenceKeys } from '@countersign/core/evidence-key.js';
import { SIGN_TIME_TO_LIVE_MS } from '@countersign/runtime/jobs/names.js';
import type { SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import { recordedOutcome, type RecordedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import type pg from 'pg';
import { queryStore } from '../stores/ask-store.js';

export interface AcceptedRequest {
  readonly requestId: string;
  readonly operation: string;
  readonly createdBy: string;
  readonly item: SignItem;
}

export interface StoredResult {
  readonly outcome: RecordedOutcome;
  readonly submission: string;
  readonly evidence: Buffer;
}

/** An accepted request that came to nothing in its time. */
export interface ExpiredRequest {
  readonly requestId: string;
  readonly operation: string;
  readonly createdBy: string;
  /** As the caller sent it. */
  readonly path: string;
}

export interface SigningRequests {
  /** Puts a request on record that is answered 202; one that is there already stays as it is. */
  accept(request: AcceptedRequest): Promise<void>;
  /** Whether its caller was told to wait for it. */
  isAccepted(requestId: string): Promise<boolean>;
  findResult(requestId: string): Promise<StoredResult | undefined>;
  /** Accepted requests without a result whose time is not over, older than `ageMs`. */
  findUnfinished(ageMs: number, limit: number): Promise<SignItem[]>;
  /** Those of the last day whose time is over, and that are not on record as failed. */
  findExpired(limit: number): Promise<ExpiredRequest[]>;
}

/** After a request's time is over a lead may still be committing what it signed in time, s. */
const EXPIRED_FOR_S = 10;

interface ResultRow {
  payload: Buffer;
  submission: Buffer;
  evidence: Buffer;
}

/** Evidence is sealed on its way in and opened on its way out. */
export function createSigningRequests(pool: pg.Pool, keys: EvidenceKeys): SigningRequests {
  return {
    async accept(request) {
      await queryStore(
        pool,
        `INSERT INTO signing_request
           (request_id, submission, operation, created_by, created_at, expires_at, evidence)
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
        acceptedValues(request, keys),
      );
    },
    async isAccepted(requestId) {
      const text = 'SELECT FROM signing_request WHERE request_id = $1';
      const { rowCount } = await queryStore(pool, text, [requestId]);
      return rowCount === 1;
    },
    async findResult(requestId) {
      const { rows } = await queryStore<ResultRow>(
        pool,
        'SELECT payload, submission, evidence FROM request_result WHERE request_id = $1',
        [requestId],
      );
      const row = rows[0];
      if (row === undefined) return undefined;
      const outcome = recordedOutcome(row.payload, requestId);
      return { outcome, submission: row.submission.toString('hex'), evidence: row.evidence };
    },
    async findUnfinished(ageMs, limit) {
      // no request asks this: the sweeper's log wants the store's own words
      const { rows } = await pool.query<{
        submission: Buffer;
        created_at: Date;
        evidence: Buffer;
      }>(
        `SELECT submission, created_at, evidence FROM signing_request AS request
         WHERE expires_at > now() AND created_at < now() - $1 * interval '1 millisecond'
           AND NOT EXISTS (SELECT FROM request_result AS result
                           WHERE result.request_id = request.request_id)
         ORDER BY expires_at LIMIT $2`,
        [ageMs, limit],
      );
      return rows.map((row) => ({
        submission: row.submission.toString('hex'),
        receivedAt: row.created_at.getTime(),
        evidence: reopen(row.evidence, keys),
      }));
    },
    findExpired: (limit) => findExpired(pool, limit),
  };
}

async function findExpired(pool: pg.Pool, limit: number): Promise<ExpiredRequest[]> {
  const { rows } = await pool.query<{
    request_id: string;
    operation: string;
    created_by: string;
    evidence: Buffer;
  }>(
    `SELECT request_id, operation, created_by, evidence FROM signing_request AS request
     WHERE expires_at BETWEEN now() - interval '1 day' AND now() - $1 * interval '1 second'
       AND NOT EXISTS (SELECT FROM request_result AS result
                       WHERE result.request_id = request.request_id)
       AND NOT EXISTS (SELECT FROM refused_request AS refused
                       WHERE refused.request_id = request.request_id
                         AND refused.err_type = 'gateway_timeout')
     ORDER BY expires_at LIMIT $2`,
    [EXPIRED_FOR_S, limit],
  );
  return rows.map((row) => ({
    requestId: row.request_id,
    operation: row.operation,
    createdBy: row.created_by,
    path: decodeSealedEvidence(row.evidence).path,
  }));
}

function acceptedValues(request: AcceptedRequest, keys: EvidenceKeys): unknown[] {
  const { requestId, operation, createdBy, item } = request;
  return [
    requestId,
    Buffer.from(item.submission, 'hex'),
    operation,
    createdBy,
    new Date(item.receivedAt),
    new Date(item.receivedAt + SIGN_TIME_TO_LIVE_MS),
    sealEvidence(item.evidence, keys),
  ];
}

function reopen(sealed: Buffer, keys: EvidenceKeys): Evidence {
  return openEvidence(decodeSealedEvidence(sealed), keys);
}
