/**
 * Recorded requests for signatures, in the order of their decision: those that two parties decided, and those that
 * policies in a gateway refused before. Rows are trusted, but the evidence must be of the request that its row names.
 */
import { decodeSealedEvidence, openEvidence, type Evidence } from '@countersign/core/evidence.js';
import { UnknownEvidenceKeyError, type EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { RuleReference } from '@countersign/core/errors.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { askedSigning } from '@countersign/vault/operations/asked-signing.js';
import type { RecordedRequest } from '@countersign/vault/operations/backtest.js';
import { SIGNING_OPERATIONS } from '@countersign/vault/operations/signing-operations.js';
import { millisecondsOf } from '../requests/checked-results.js';
import { queryStore, type Store } from '../stores/ask-store.js';

/** A place in that order. */
export interface RecordPlace {
  /** Time of the decision, microseconds since the Unix epoch, decimal. */
  readonly at: string;
  readonly requestId: string;
}

export interface PlacedRequest {
  readonly place: RecordPlace;
  /** Opens its evidence: to open a whole page at once would hold up others. */
  read(): RecordedRequest;
}

interface RecordedRow {
  at_us: string;
  request_id: string;
  action: string;
  actor: string;
  key_id: string | null;
  received_ms: string;
  is_allowed: boolean;
  reason: string | null;
  policy: string | null;
  batch_index: number | null;
  evidence: Buffer | null;
}

/** A body as large as a gateway accepts, and its frame. A page of such rows fits into a gateway's spare memory. */
const MAX_EVIDENCE_BYTES = 300_000;
const EVIDENCE = (column: string) =>
  `CASE WHEN octet_length(${column}) <= ${MAX_EVIDENCE_BYTES} THEN ${column} END AS evidence`;
const IN_MICROSECONDS = (column: string) =>
  `trunc(extract(epoch FROM ${column}) * 1000000)::bigint`;
const TIME = (parameter: string) =>
  `to_timestamp(0) + ${parameter}::bigint * interval '1 microsecond'`;

/** $1 and $2: the place before, $3: the end of the period (microseconds), $4: how many. */
const BEHIND = `record.at >= ${TIME('$1')} AND record.at < ${TIME('$3')}
  AND (record.at, record.request_id) > (${TIME('$1')}, $2::uuid)`;
const IN_ORDER = 'ORDER BY record.at, record.request_id LIMIT $4';

/** A pair may have denied what another signed: such a request counts as signed. */
const PARTY_SOURCES = PARTY_NUMBERS.map(
  (party) => `(SELECT record.at, record.request_id, record.action, record.actor, record.key_id,
      result.received_at, record.outcome = 'signed' AS is_allowed, record.reason, record.policy, result.batch_index,
      ${EVIDENCE('coalesce(result.evidence, batch.evidence)')}
    FROM party_${party}.sign_record AS record
    JOIN request_result AS result ON result.request_id = record.request_id AND result.lead = ${party}
    LEFT JOIN batch_evidence AS batch ON batch.batch_id = result.batch_id AND batch.writer = ${party}
    WHERE record.role = 'lead' AND ${BEHIND}
      AND (record.outcome = 'signed' OR NOT EXISTS (SELECT FROM request_result AS other
        WHERE other.request_id = record.request_id AND other.outcome = 'signed'))
    ${IN_ORDER})`,
);

const REFUSED_SOURCE = `(SELECT record.at, record.request_id, record.action, record.actor, record.key_id,
    record.at AS received_at, false AS is_allowed, record.reason, record.policy, NULL::smallint AS batch_index,
    ${EVIDENCE('record.evidence')}
  FROM refused_request AS record
  WHERE record.err_type = 'forbidden' AND record.action = ANY($5::text[]) AND ${BEHIND}
  ${IN_ORDER})`;

const FIND = `SELECT ${IN_MICROSECONDS('record.at')} AS at_us, request_id, action, actor, key_id,
    ${millisecondsOf('record.received_at')} AS received_ms, is_allowed, left(reason, 1000) AS reason, policy,
    batch_index, evidence
  FROM (${[...PARTY_SOURCES, REFUSED_SOURCE].join('\nUNION ALL\n')}) AS record
  ${IN_ORDER}`;

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** The place before every request that was decided at `ms` or later. */
export function placeBefore(ms: number): RecordPlace {
  return { at: `${ms * 1_000}`, requestId: FIRST_ID };
}

/** Up to `limit` of them after a place, decided before `to` (ms). */
export async function findRecorded(
  store: Store,
  keys: EvidenceKeys,
  after: RecordPlace,
  to: number,
  limit: number,
): Promise<PlacedRequest[]> {
  const actions = SIGNING_OPERATIONS.map(({ id }) => id);
  const { rows } = await queryStore<RecordedRow>(store, { name: 'find_recorded', text: FIND }, [
    after.at,
    after.requestId,
    to * 1_000,
    limit,
    actions,
  ]);
  return rows.map((row) => ({
    place: { at: row.at_us, requestId: row.request_id },
    read: () => recordedRequest(row, keys),
  }));
}

function recordedRequest(row: RecordedRow, keys: EvidenceKeys): RecordedRequest {
  return {
    requestId: row.request_id,
    action: row.action,
    userId: row.actor,
    keyId: row.key_id,
    receivedAt: Number(row.received_ms),
    isAllowed: row.is_allowed,
    reason: row.is_allowed ? null : row.reason,
    policy: readPolicy(row.policy),
    index: row.batch_index ?? undefined,
    evidence: readEvidence(row, keys),
  };
}

/** The evidence, or why there is none. */
function readEvidence(
  { evidence: sealed, request_id: requestId, batch_index: index }: RecordedRow,
  keys: EvidenceKeys,
): Evidence | string {
  if (sealed === null) return 'the record holds no request';
  try {
    const evidence = openEvidence(decodeSealedEvidence(sealed), keys);
    return askedSigning(evidence, index ?? undefined).requestId === requestId
      ? evidence
      : 'the record holds another request';
  } catch (error) {
    return error instanceof UnknownEvidenceKeyError
      ? 'the record is sealed under a key that this gateway does not have'
      : 'the record cannot be read';
  }
}

const RULE_NAME = /^([0-9a-f-]{36})\/v(\d{1,9})\/([0-9a-f-]{36})$/;

/** Parses the text of a record; undefined for none, or without a rule. */
function readPolicy(text: string | null): RuleReference | undefined {
  const match = RULE_NAME.exec(text ?? '');
  return match === null
    ? undefined
    : { id: match[1]!, version: Number(match[2]), ruleId: match[3]! };
}
