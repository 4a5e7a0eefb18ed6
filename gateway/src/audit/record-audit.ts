/** The part of the audit log in PostgreSQL: signatures, and requests that were refused before them. */
import { receiptView } from '@countersign/api/receipt.js';
import type { AuditEntryView } from '@countersign/api/service-schema.js';
import type { ReceiptView } from '@countersign/api/signing-schema.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { SIGN_TIME_TO_LIVE_MS } from '@countersign/runtime/jobs/names.js';
import { decodeRecorded, provenReceipt } from '@countersign/runtime/jobs/sign-outcome.js';
import { recordEntryView } from '@countersign/runtime/records/audited-record.js';
import type { AuditedRecord } from '@countersign/runtime/records/audited-record.js';
import { queryStore, type Store } from '../stores/ask-store.js';
import { MAX_PAYLOAD_BYTES } from '../requests/checked-results.js';
import type { AuditFilter } from './audit-position.js';
import type { AuditKey, AuditRow } from './audit-row.js';

/** Finds up to `limit` matching records after a key, newest first. */
export type FindAuditRecords = (
  filter: AuditFilter,
  after: AuditKey | null,
  limit: number,
) => Promise<AuditRow[]>;

/** Reads the records in PostgreSQL: those of the parties, and those of requests that gateways refused. */
export function createFindAuditRecords(store: Store): FindAuditRecords {
  return async (filter, after, limit) => {
    const { text, values } = auditRecordQuery(filter, after, limit);
    const { rows } = await queryStore<RecordRow>(store, text, values);
    return rows.map(toAuditRow);
  };
}

/** The writers of chains of records. */
export type RecordWriter = AuditedRecord['writer'];

/** Up to `limit` entries of one chain after `seq`, in order. It gives every record, including those that lists omit. */
export async function readRecordChain(
  store: Store,
  { writer, chain }: { readonly writer: RecordWriter; readonly chain: string },
  after: number,
  limit: number,
): Promise<AuditRow[]> {
  const source = SOURCES.find((one) => one.writer === writer)!;
  const { rows } = await queryStore<RecordRow>(
    store,
    `SELECT chain_id, seq, prev_hash, hash, false AS is_lone, NULL::bytea AS payload,
       jsonb_build_object('writer', '${writer}', ${source.record}) AS record, ${PRINTED_TIME} AS time
     FROM ${source.table} AS record WHERE chain_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
    [chain, after, limit],
  );
  return rows.map(toAuditRow);
}

/**
 * One writer's chains after `after`, by name, and where each ends. It costs a few look-ups for each chain, however
 * long.
 */
export async function listRecordChains(
  store: Store,
  writer: RecordWriter,
  after: string,
  limit: number,
): Promise<{ readonly chain: string; readonly seq: number }[]> {
  const { table } = SOURCES.find((one) => one.writer === writer)!;
  const next = (than: string) => `(SELECT min(chain_id) FROM ${table} WHERE chain_id > ${than})`;
  const { rows } = await queryStore<{ chain_id: string; seq: string }>(
    store,
    `WITH RECURSIVE chain AS (
       SELECT ${next('$1::text')} AS chain_id
       UNION ALL
       SELECT ${next('chain.chain_id')} FROM chain WHERE chain.chain_id IS NOT NULL
     ), page AS (SELECT chain_id FROM chain LIMIT $2 + 1)
     SELECT chain_id, (SELECT max(seq) FROM ${table} AS record WHERE record.chain_id = page.chain_id) AS seq
     FROM page WHERE chain_id IS NOT NULL LIMIT $2`,
    [after, limit],
  );
  return rows.map(({ chain_id: chain, seq }) => ({ chain, seq: Number(seq) }));
}

interface RecordRow {
  chain_id: string;
  seq: string;
  prev_hash: Buffer;
  hash: Buffer;
  time: string;
  /** The record as PostgreSQL prints it. */
  record: AuditedRecord;
  /** Whether a party contributed to a signature that no party recorded as its lead. */
  is_lone: boolean;
  /** The lead's record of a request that was signed. */
  payload: Buffer | null;
}

interface RecordSource {
  readonly writer: AuditedRecord['writer'];
  readonly table: string;
  /**
   * SQL for the rows of each outcome, written as the indexes have it; `false` if there are none, so that nothing is
   * read.
   */
  readonly outcomes: Readonly<Record<AuditEntryView['outcome'], string>>;
  /** SQL for the members of the record. */
  readonly record: string;
  /** SQL. */
  readonly isLone: string;
  /** SQL. */
  readonly payload: string;
  /** SQL for the rows that belong to the log that people read. */
  readonly where?: string;
}

/** SQL that clamps times which cannot be printed: whoever can write the table could otherwise block other rows. */
const PRINTED_AT = "GREATEST('1970-01-01T00:00:00Z', LEAST(at, '9999-12-31T23:59:59.999999Z'))";
/** SQL: RFC 3339, six fractional digits. */
const PRINTED_TIME = `to_char(${PRINTED_AT} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

const COMMON_MEMBERS = `'at', trunc(extract(epoch FROM ${PRINTED_AT}) * 1000)::bigint, 'action', action, 'actor', actor,
  'request_id', request_id, 'policy', policy, 'vault_id', vault_id,
  'wallet_address', wallet_address, 'key_id', key_id, 'reason', reason`;

const HAS_LEAD = PARTY_NUMBERS.map(
  (party) => `EXISTS (SELECT FROM party_${party}.sign_record AS lead
    WHERE lead.request_id = record.request_id AND lead.role = 'lead')`,
).join(' OR ');
/** A lead records within a request's time to live, or never. */
const IS_LONE = `(outcome = 'contributed' AND at < now() - interval '${SIGN_TIME_TO_LIVE_MS} milliseconds'
  AND NOT (${HAS_LEAD}))`;

const IS_FAILURE = "(err_type IN ('internal_server_error', 'gateway_timeout'))";

const SOURCES: readonly RecordSource[] = [
  ...PARTY_NUMBERS.map((party): RecordSource => ({
    writer: `party_${party}`,
    table: `party_${party}.sign_record`,
    outcomes: { allowed: "outcome <> 'denied'", denied: "outcome = 'denied'", failed: 'false' },
    record: `${COMMON_MEMBERS}, 'role', role, 'outcome', outcome, 'ledger_seq', ledger_seq,
      'parties', parties, 'message_sha256', encode(message_sha256, 'hex')`,
    isLone: IS_LONE,
    payload: `CASE WHEN outcome = 'signed' THEN (SELECT result.payload FROM request_result AS result
      WHERE result.request_id = record.request_id AND result.lead = ${party}
        AND octet_length(result.payload) <= ${MAX_PAYLOAD_BYTES}) END`,
    // the partner's half of a signature repeats the lead's record
    where: `(role = 'lead' OR outcome = 'denied' OR ${IS_LONE})`,
  })),
  {
    writer: 'gateway',
    table: 'refused_request',
    outcomes: { allowed: 'false', denied: `NOT ${IS_FAILURE}`, failed: IS_FAILURE },
    record: `${COMMON_MEMBERS}, 'err_type', err_type`,
    isLone: 'false',
    payload: 'NULL::bytea',
    // a record that a lead committed minutes late is no failure
    where: `NOT (${IS_FAILURE} AND (${HAS_LEAD}))`,
  },
];

/** Newest first, within each source and in all: no source gives more than `limit` rows. */
export function auditRecordQuery(
  filter: AuditFilter,
  after: AuditKey | null,
  limit: number,
): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const conditions = [...filterConditions(filter, parameter), ...keysetCondition(after, parameter)];
  const order = `at DESC, chain_id COLLATE "C" DESC, seq DESC LIMIT ${parameter(limit)}`;
  const parts = SOURCES.map((source) => sourceQuery(source, conditions, filter, parameter, order));
  const text = `SELECT chain_id, seq, prev_hash, hash, record, is_lone, payload,
      ${PRINTED_TIME} AS time
    FROM (${parts.join('\nUNION ALL\n')}) AS record
    ORDER BY ${order}`;
  return { text, values };
}

function sourceQuery(
  source: RecordSource,
  conditions: readonly string[],
  filter: AuditFilter,
  parameter: (value: unknown) => string,
  order: string,
): string {
  const where = [...conditions];
  if (source.where !== undefined && filter.isWhole !== true) where.push(source.where);
  if (filter.outcome !== undefined) where.push(source.outcomes[filter.outcome]);
  return `(SELECT chain_id, seq, prev_hash, hash, at, ${source.isLone} AS is_lone,
      jsonb_build_object('writer', '${source.writer}', ${source.record}) AS record,
      ${filter.isWhole === true ? source.payload : 'NULL::bytea'} AS payload
    FROM ${source.table} AS record${where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`}
    ORDER BY ${order})`;
}

/**
 * SQL, as the indexes have it: a caller's path may hold any text as an address, and an index takes only short ones. A
 * filter is shorter.
 */
const WALLET_ADDRESS = 'left(wallet_address, 200)';

/** One value is compared by `=`, not `ANY`: only then an index gives its rows in order, and the newest suffice. */
function isAnyOf(
  column: string,
  type: string,
  items: readonly string[],
  parameter: (value: unknown) => string,
): string {
  return items.length === 1
    ? `${column} = ${parameter(items[0])}::${type}`
    : `${column} = ANY(${parameter(items)}::${type}[])`;
}

function filterConditions(filter: AuditFilter, parameter: (value: unknown) => string): string[] {
  const conditions: string[] = [];
  const anyOf = (column: string, type: string, items: readonly string[] | undefined) => {
    if (items !== undefined) conditions.push(isAnyOf(column, type, items, parameter));
  };
  anyOf('vault_id', 'uuid', filter.vault_ids);
  anyOf(WALLET_ADDRESS, 'text', filter.wallet_addresses);
  anyOf('key_id', 'uuid', filter.key_ids);
  anyOf('actor', 'uuid', filter.user_ids);
  anyOf('action', 'text', filter.actions);
  const { request_id: requestId, from, to } = filter;
  if (requestId !== undefined) conditions.push(`request_id = ${parameter(requestId)}::uuid`);
  if (from !== undefined) conditions.push(`at >= ${timeParameter(from, parameter)}`);
  if (to !== undefined) conditions.push(`at < ${timeParameter(to, parameter)}`);
  return conditions;
}

function timeParameter(ms: number, parameter: (value: unknown) => string): string {
  return `${parameter(new Date(ms).toISOString())}::timestamptz`;
}

function keysetCondition(after: AuditKey | null, parameter: (value: unknown) => string): string[] {
  if (after === null) return [];
  const at = `${parameter(after.time)}::timestamptz`;
  const rest = `${parameter(after.chain)}::text, ${parameter(after.seq)}::bigint`;
  return [`(at, chain_id COLLATE "C", seq) < (${at}, ${rest})`];
}

function toAuditRow(row: RecordRow): AuditRow {
  const { record, time, chain_id: chain, prev_hash: prevHash, hash } = row;
  const seq = Number(row.seq);
  const entry = recordEntryView(record, { chain, seq, prevHash, hash });
  const details = row.is_lone ? { ...entry.details, lead_record: 'none' } : entry.details;
  return {
    time,
    chain,
    seq,
    entry: { ...entry, details },
    evidence: { record, receipt: receiptOf(row) },
  };
}

/**
 * The receipt as the lead stored it, which the verifier checks. A result that is unreadable, or of another request, has
 * none: the verifier reports it as missing.
 */
function receiptOf({ payload, record }: RecordRow): ReceiptView | undefined {
  if (payload === null) return undefined;
  try {
    const outcome = decodeRecorded(payload);
    if (outcome.outcome === 'denied' || outcome.receipt.requestId !== record.request_id) {
      return undefined;
    }
    return receiptView(provenReceipt(outcome));
  } catch {
    return undefined;
  }
}
