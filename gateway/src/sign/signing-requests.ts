/** Signing requests that were answered 202 are kept here, so that any gateway can bring them to an end. */
import { decodeSealedEvidence, openEvidence } from '@countersign/core/evidence.js';
import { sealEvidence } from '@countersign/core/write-evidence.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { Alarms } from '@countersign/runtime/alarms/alarms.js';
import { SIGN_SETTLES_MS, SIGN_TIME_TO_LIVE_MS } from '@countersign/runtime/jobs/names.js';
import { createGroupCommit } from '@countersign/runtime/records/group-commit.js';
import type { SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import type pg from 'pg';
import { isRefusal } from '@countersign/core/errors.js';
import {
  findBatchEvidence,
  GATEWAY_WRITER,
  type ItemPlace,
  type OpenBatchEvidence,
} from '../requests/batch-evidence.js';
import { askedBefore, type AskedRequest } from '../requests/asked-request.js';
import { createLateAcceptances } from './late-acceptances.js';
import { createTellOnce } from '../requests/tell-once.js';
import { queryStore } from '../stores/ask-store.js';

export interface AcceptedRequest {
  readonly requestId: string;
  /** The id of its batch, if it is an item of one. */
  readonly batchId?: string | undefined;
  readonly operation: string;
  readonly createdBy: string;
  readonly item: SignItem;
}

/** An accepted request whose time is not over. */
export interface OpenRequest {
  readonly requestId: string;
  readonly submission: string;
  /** Whether some party wrote a result, however little that is worth. */
  readonly isClaimed: boolean;
}

/** An accepted request as it is sent again. */
export interface AcceptedItem {
  readonly item: SignItem;
  readonly asked: AskedRequest;
}

/** An accepted request that had no outcome in its time. */
export interface ExpiredRequest {
  readonly requestId: string;
  readonly operation: string;
  readonly createdBy: string;
  /** The path as the caller sent it; empty if the row does not say. */
  readonly path: string;
}

/** A place among requests in the order of their expiry. */
export interface ExpiryPlace {
  /** As PostgreSQL writes it, to the microsecond. */
  readonly expiresAt: string;
  readonly requestId: string;
}

export const FIRST_PLACE: ExpiryPlace = {
  expiresAt: '-infinity',
  requestId: '00000000-0000-0000-0000-000000000000',
};

export interface SigningRequests {
  /** Puts a request that was answered 202 on record, and returns whether it did: an existing row stays as it is. */
  accept(request: AcceptedRequest): Promise<boolean>;
  /** Does the same as soon as the store takes it, for a request that is under way and could not be put on record. */
  acceptLater(request: AcceptedRequest): void;
  /** Whether its caller was told to wait for it. */
  isAccepted(requestId: string): Promise<boolean>;
  /** Those older than `ageMs`, the oldest first. */
  findOpen(ageMs: number): Promise<OpenRequest[]>;
  /** Those of them that can be read. */
  readItems(requestIds: readonly string[]): Promise<AcceptedItem[]>;
  /** Requests of the last day that expired without a row of a result and are not on record as failed. */
  findExpired(limit: number): Promise<ExpiredRequest[]>;
  /** Requests of the last hour that expired with some row of a result and are not on record as failed. */
  findClaimed(after: ExpiryPlace, limit: number): Promise<(ExpiredRequest & ExpiryPlace)[]>;
}

/** Gateways keep no more under way at a time. */
const MAX_OPEN = 20_000;

const INSERT_ACCEPTED = `INSERT INTO signing_request
    (request_id, submission, operation, created_by, created_at, expires_at, evidence, batch_id,
      batch_index)
  SELECT * FROM unnest($1::uuid[], $2::bytea[], $3::text[], $4::uuid[], $5::timestamptz[],
    $6::timestamptz[], $7::bytea[], $8::uuid[], $9::smallint[])
  ON CONFLICT DO NOTHING RETURNING request_id`;

/** First, and by itself: an item whose batch is not there could not be sent again. */
const INSERT_BATCHES = `INSERT INTO batch_evidence (batch_id, writer, written_at, evidence)
  SELECT given.id, ${GATEWAY_WRITER}, given.at, given.evidence
  FROM unnest($1::uuid[], $2::timestamptz[], $3::bytea[]) AS given (id, at, evidence)
  ON CONFLICT DO NOTHING`;

export interface SigningRequestsDeps {
  readonly pool: pg.Pool;
  readonly keys: EvidenceKeys;
  readonly state: () => VaultState;
  readonly alarms: Alarms;
}

/** Evidence is sealed on its way in and opened on its way out. */
export function createSigningRequests(deps: SigningRequestsDeps): SigningRequests {
  const { pool, keys } = deps;
  const readItem = createItemReader(deps);
  // many that are answered 202 come at the same time
  const accepting = createGroupCommit<AcceptedRequest, boolean>((group) =>
    insertAccepted(pool, keys, group),
  );
  const later = createLateAcceptances<AcceptedRequest>(
    (group) => insertAccepted(pool, keys, group),
    ({ item }) => item.evidence.body.length,
  );
  return {
    accept: (request) => accepting.add(request),
    acceptLater: (request) => later.add(request),
    async isAccepted(requestId) {
      const text = 'SELECT FROM signing_request WHERE request_id = $1';
      const { rowCount } = await queryStore(pool, text, [requestId]);
      return rowCount === 1;
    },
    findOpen: (ageMs) => findOpen(pool, ageMs),
    async readItems(requestIds) {
      const { rows } = await pool.query<ItemRow>(
        `SELECT request_id, submission, created_at, evidence, batch_id, batch_index
         FROM signing_request WHERE request_id = ANY($1::uuid[])`,
        [requestIds],
      );
      const open = await findBatchEvidence(pool, keys, rows.flatMap(placeOf));
      return rows.flatMap((row) => readItem(row, open) ?? []);
    },
    findExpired: (limit) => findExpired(pool, limit),
    findClaimed: (after, limit) => findClaimed(pool, after, limit),
  };
}

// the functions below serve no caller: the sweeper's log wants the store's own error

async function findOpen(pool: pg.Pool, ageMs: number): Promise<OpenRequest[]> {
  const { rows } = await pool.query<{
    request_id: string;
    submission: string;
    is_claimed: boolean;
  }>(
    `SELECT request_id, encode(submission, 'hex') AS submission,
       EXISTS (SELECT FROM request_result AS result
               WHERE result.request_id = request.request_id) AS is_claimed
     FROM signing_request AS request
     WHERE expires_at > now() AND created_at < now() - $1 * interval '1 millisecond'
     ORDER BY expires_at LIMIT $2`,
    [ageMs, MAX_OPEN],
  );
  return rows.map(({ request_id: requestId, submission, is_claimed: isClaimed }) => ({
    requestId,
    submission,
    isClaimed,
  }));
}

interface ItemRow {
  request_id: string;
  submission: Buffer;
  created_at: Date;
  evidence: Buffer | null;
  batch_id: string | null;
  batch_index: number | null;
}

function placeOf({ batch_id: batchId, batch_index: index }: ItemRow): ItemPlace[] {
  return batchId === null || index === null ? [] : [{ batchId, index, writer: GATEWAY_WRITER }];
}

/** Undefined for a row that no gateway writes: it is set apart, with an alarm. */
function createItemReader({ keys, state, alarms }: SigningRequestsDeps) {
  const tellOnce = createTellOnce(alarms);
  return (row: ItemRow, open: OpenBatchEvidence): AcceptedItem | undefined => {
    const requestId = row.request_id;
    const setApart = (reason: string): undefined => {
      tellOnce(requestId, { kind: 'unreadable_row', requestId, reason });
    };
    try {
      const [place] = placeOf(row);
      const evidence =
        place === undefined
          ? openEvidence(decodeSealedEvidence(row.evidence ?? Buffer.alloc(0)), keys)
          : open(place);
      const asked = askedBefore(evidence, state, place?.index);
      if (asked === undefined || isRefusal(asked) || asked.requestId !== requestId) {
        return setApart('the evidence is of no such request');
      }
      const [submission, receivedAt] = [row.submission.toString('hex'), row.created_at.getTime()];
      const index = place?.index;
      return { item: { submission, receivedAt, nonce: 0n, evidence, index }, asked };
    } catch (error) {
      return setApart(String(error));
    }
  };
}

interface ExpiredRow {
  request_id: string;
  operation: string;
  created_by: string;
  evidence: Buffer | null;
}

const NOT_ON_RECORD = `NOT EXISTS (SELECT FROM refused_request AS refused
  WHERE refused.request_id = request.request_id AND refused.err_type = 'gateway_timeout')`;
const HAS_RESULT = `EXISTS (SELECT FROM request_result AS result
  WHERE result.request_id = request.request_id)`;

const EVIDENCE = `coalesce(evidence, (SELECT batch.evidence FROM batch_evidence AS batch
  WHERE batch.batch_id = request.batch_id AND batch.writer = ${GATEWAY_WRITER})) AS evidence`;

async function findExpired(pool: pg.Pool, limit: number): Promise<ExpiredRequest[]> {
  const { rows } = await pool.query<ExpiredRow>(
    `SELECT request_id, operation, created_by, ${EVIDENCE} FROM signing_request AS request
     WHERE expires_at BETWEEN now() - interval '1 day' AND now() - $1 * interval '1 millisecond'
       AND NOT ${HAS_RESULT} AND ${NOT_ON_RECORD}
     ORDER BY expires_at LIMIT $2`,
    [SIGN_SETTLES_MS, limit],
  );
  return rows.map(expiredOf);
}

async function findClaimed(
  pool: pg.Pool,
  { expiresAt, requestId }: ExpiryPlace,
  limit: number,
): Promise<(ExpiredRequest & ExpiryPlace)[]> {
  const { rows } = await pool.query<ExpiredRow & { expires_at: string }>(
    `SELECT request_id, operation, created_by, ${EVIDENCE}, expires_at::text FROM signing_request AS request
     WHERE expires_at BETWEEN now() - interval '1 hour' AND now() - $1 * interval '1 millisecond'
       AND (expires_at, request_id) > ($2::timestamptz, $3::uuid)
       AND ${HAS_RESULT} AND ${NOT_ON_RECORD}
     ORDER BY request.expires_at, request_id LIMIT $4`,
    [SIGN_SETTLES_MS, expiresAt, requestId, limit],
  );
  return rows.map((row) => ({ ...expiredOf(row), expiresAt: row.expires_at }));
}

function expiredOf(row: ExpiredRow): ExpiredRequest {
  return {
    requestId: row.request_id,
    operation: row.operation,
    createdBy: row.created_by,
    path: pathOf(row.evidence),
  };
}

function pathOf(evidence: Buffer | null): string {
  if (evidence === null) return '';
  try {
    return decodeSealedEvidence(evidence).path;
  } catch {
    return '';
  }
}

async function insertBatches(
  pool: pg.Pool,
  keys: EvidenceKeys,
  group: readonly AcceptedRequest[],
): Promise<void> {
  const batches = new Map<string, SignItem>();
  for (const { batchId, item } of group) if (batchId !== undefined) batches.set(batchId, item);
  if (batches.size === 0) return;
  const items = [...batches.values()];
  await queryStore(pool, {
    name: 'insert_batch_evidence',
    text: INSERT_BATCHES,
    values: [
      [...batches.keys()],
      items.map(({ receivedAt }) => new Date(receivedAt)),
      items.map(({ evidence }) => sealEvidence(evidence, keys)),
    ],
  });
}

/** Returns for each whether it is new; a request that comes twice in a group is new once. */
async function insertAccepted(
  pool: pg.Pool,
  keys: EvidenceKeys,
  group: readonly AcceptedRequest[],
): Promise<boolean[]> {
  const items = group.map(({ item }) => item);
  await insertBatches(pool, keys, group);
  const { rows } = await queryStore<{ request_id: string }>(pool, {
    name: 'insert_signing_requests',
    text: INSERT_ACCEPTED,
    values: [
      group.map(({ requestId }) => requestId),
      items.map(({ submission }) => Buffer.from(submission, 'hex')),
      group.map(({ operation }) => operation),
      group.map(({ createdBy }) => createdBy),
      items.map(({ receivedAt }) => new Date(receivedAt)),
      items.map(({ receivedAt }) => new Date(receivedAt + SIGN_TIME_TO_LIVE_MS)),
      group.map(({ item, batchId }) =>
        batchId === undefined ? sealEvidence(item.evidence, keys) : null,
      ),
      group.map(({ batchId }) => batchId ?? null),
      items.map(({ index }) => index ?? null),
    ],
  });
  const fresh = new Set(rows.map(({ request_id: requestId }) => requestId));
  return group.map(({ requestId }) => fresh.delete(requestId));
}
