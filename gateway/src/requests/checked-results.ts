/**
 * Results as the parties stored them. Any party can add rows, each in its own name, so they are read as claims. What
 * does not hold is set apart, with an alarm, and the answer is as if it were not there.
 */
import type { ReceiptTrust } from '@countersign/api/receipt.js';
import { isRefusal } from '@countersign/core/errors.js';
import {
  decodeSealedEvidence,
  digestOf,
  openEvidence,
  requestIdOf,
  type Evidence,
} from '@countersign/core/evidence.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { Alarms } from '@countersign/runtime/alarms/alarms.js';
import { decodeRecorded, type RecordedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import { ownerOfCredential } from '@countersign/vault/authentication/authenticate.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import type pg from 'pg';
import { queryStore } from '../stores/ask-store.js';
import { findBatchEvidence, type ItemPlace, type OpenBatchEvidence } from './batch-evidence.js';
import { askedBefore, type AskedRequest } from './asked-request.js';
import { findResultFault, type ResultFault } from './result-fault.js';
import { createTellOnce } from './tell-once.js';

/** An item's batch, as records name it. */
export interface BatchPlace {
  readonly request_id: string;
  readonly index: number;
}

/** The outcome of a request, as two parties signed it. */
export interface CheckedResult {
  readonly outcome: RecordedOutcome;
  readonly asked: AskedRequest;
  /** The caller's request; whoever shows it leaves out how the caller proved to be one. */
  readonly evidence: Evidence;
  /** Of an item: the batch that asked for it, as its evidence says. */
  readonly batch?: BatchPlace;
  readonly createdBy: string;
  /** By the lead's clock, ms. */
  readonly receivedAt: number;
  readonly completedAt: number;
}

export interface CheckedResults {
  find(requestId: string): Promise<CheckedResult | undefined>;
  /** Finds those of several requests that have a result. */
  findAll(requestIds: readonly string[]): Promise<ReadonlyMap<string, CheckedResult>>;
}

export interface CheckedResultsDeps {
  readonly pool: Pick<pg.Pool, 'query'>;
  readonly keys: EvidenceKeys;
  readonly state: () => VaultState;
  readonly trust: () => ReceiptTrust;
  readonly alarms: Alarms;
}

interface ResultRow {
  request_id: string;
  lead: PartyNumber;
  created_by: string;
  received_ms: string;
  completed_ms: string;
  /** Null if it is larger than a result may be. */
  payload: Buffer | null;
  /** Null also for an item of a batch. */
  evidence: Buffer | null;
  batch_id: string | null;
  batch_index: number | null;
}

/** No result is larger: a signature, its receipt and its proofs. */
export const MAX_PAYLOAD_BYTES = 16_384;
const MAX_EVIDENCE_BYTES = 1_048_576;

/** SQL for milliseconds. It clamps times that cannot be printed, so that they do not hold up other rows. */
export function millisecondsOf(column: string): string {
  const printed = `GREATEST('1970-01-01T00:00:00Z', LEAST(${column}, '9999-12-31T23:59:59.999999Z'))`;
  return `trunc(extract(epoch FROM ${printed}) * 1000)::bigint`;
}

/** Finds at most a row for each party: lead is part of the key, and no other number is a party's. */
const FIND = `SELECT request_id, lead, created_by,
    ${millisecondsOf('received_at')} AS received_ms, ${millisecondsOf('completed_at')} AS completed_ms,
    CASE WHEN octet_length(payload) <= ${MAX_PAYLOAD_BYTES} THEN payload END AS payload,
    CASE WHEN octet_length(evidence) <= ${MAX_EVIDENCE_BYTES} THEN evidence END AS evidence,
    batch_id, batch_index
  FROM request_result
  WHERE request_id = ANY($1::uuid[]) AND lead IN (1, 2, 3)
  LIMIT $2`;

export function createCheckedResults(deps: CheckedResultsDeps): CheckedResults {
  const { pool, keys } = deps;
  const check = createRowCheck(deps);

  async function findAll(requestIds: readonly string[]) {
    const found = new Map<string, CheckedResult>();
    const values = [requestIds, requestIds.length * 3];
    const { rows } = await queryStore<ResultRow>(pool, FIND, values);
    const open = await findBatchEvidence(pool, keys, rows.flatMap(placeOf));
    for (const row of rows.toSorted((a, b) => a.lead - b.lead)) {
      const result = check(row, open);
      if (result === undefined) continue;
      const other = found.get(row.request_id);
      if (other === undefined || isBetter(result, other)) found.set(row.request_id, result);
    }
    return found;
  }

  return {
    findAll,
    find: async (requestId) => (await findAll([requestId])).get(requestId),
  };
}

function placeOf({ batch_id: batchId, batch_index: index, lead: writer }: ResultRow): ItemPlace[] {
  return batchId == null || index == null ? [] : [{ batchId, index, writer }];
}

/** A signature is better than a denial; among equals the first stays. */
function isBetter({ outcome }: CheckedResult, other: CheckedResult): boolean {
  return outcome.outcome === 'signed' && other.outcome.outcome === 'denied';
}

function createRowCheck({ alarms, ...deps }: CheckedResultsDeps) {
  const tellOnce = createTellOnce(alarms);
  return (row: ResultRow, open: OpenBatchEvidence): CheckedResult | undefined => {
    const { request_id: requestId, lead: party } = row;
    const setApart = (kind: 'unreadable_row' | 'forged_result', reason: string): undefined => {
      tellOnce(`${requestId} ${party}`, { kind, party, requestId, reason });
    };
    const claim = readClaim(row, open, deps);
    if (typeof claim === 'string') return setApart('unreadable_row', claim);
    const fault = findRowFault(row, claim, deps);
    if (fault === undefined) return claim;
    return isAhead(claim, fault, deps) ? undefined : setApart('forged_result', fault.reason);
  };
}

type RowDeps = Omit<CheckedResultsDeps, 'alarms'>;

/** The result in a row, or why there is none. */
function readClaim(
  row: ResultRow,
  open: OpenBatchEvidence,
  { keys, state }: RowDeps,
): CheckedResult | string {
  const [place] = placeOf(row);
  if (row.payload === null) return 'the result is larger than the limit';
  if (row.evidence === null && place === undefined) return 'the result is larger than the limit';
  try {
    const outcome = decodeRecorded(row.payload);
    const evidence =
      place === undefined ? openEvidence(decodeSealedEvidence(row.evidence!), keys) : open(place);
    const asked = askedBefore(evidence, state, place?.index);
    if (asked === undefined || isRefusal(asked)) return 'the evidence holds no request';
    return {
      outcome,
      asked,
      evidence,
      ...(place !== undefined && { batch: batchOf(evidence, place) }),
      // if the caller is gone, the lead's word is all there is
      createdBy: ownerOfCredential(state(), evidence)?.id ?? row.created_by,
      receivedAt: Number(row.received_ms),
      completedAt: Number(row.completed_ms),
    };
  } catch (error) {
    return String(error);
  }
}

/** The id of an item was compared with what follows from the same evidence. */
function batchOf(evidence: Evidence, { index }: ItemPlace): BatchPlace {
  return { request_id: requestIdOf(digestOf(evidence)), index };
}

function findRowFault(
  row: ResultRow,
  { outcome, asked, evidence }: CheckedResult,
  { keys, trust }: RowDeps,
): ResultFault | undefined {
  const [lead] = outcome.outcome === 'signed' ? outcome.receipt.parties : outcome.parties;
  const unknown = { accused: undefined };
  if (lead !== row.lead) return { ...unknown, reason: 'the lead did not sign the result' };
  if (asked.requestId !== row.request_id) {
    return { ...unknown, reason: 'the evidence is of another request' };
  }
  const askedAt = evidence.timestampMs;
  return findResultFault(outcome, asked, { ...trust(), askedAt }, keys);
}

/** Whether two parties signed it over a ledger that this gateway has not folded yet: it has to be asked for again. */
function isAhead(
  { outcome }: CheckedResult,
  { accused }: ResultFault,
  { state }: RowDeps,
): boolean {
  if (accused === undefined || outcome.outcome === 'denied') return false;
  return outcome.receipt.ledgerSeq > state().seq;
}
