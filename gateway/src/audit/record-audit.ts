/** The part of the audit log that is in PostgreSQL: signatures, and requests refused before them. */
import { toHex } from '@countersign/core/bytes.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import type pg from 'pg';
import { queryStore } from '../stores/ask-store.js';
import type { AuditFilter } from './audit-position.js';
import { publicTime, type AuditEntry, type AuditKey, type AuditRow } from './audit-row.js';

/** Finds up to `limit` matching records after a key, newest first. */
export type FindAuditRecords = (
  filter: AuditFilter,
  after: AuditKey | null,
  limit: number,
) => Promise<AuditRow[]>;

/** Looks into the records of PostgreSQL: of the parties, and of what gateways refused. */
export function createFindAuditRecords(pool: pg.Pool): FindAuditRecords {
  return async (filter, after, limit) => {
    const { text, values } = auditRecordQuery(filter, after, limit);
    const { rows } = await queryStore<RecordRow>(pool, text, values);
    return rows.map(toAuditRow);
  };
}

interface RecordRow {
  chain_id: string;
  seq: string;
  prev_hash: Buffer;
  hash: Buffer;
  time: string;
  action: string;
  actor: string;
  request_id: string;
  outcome: 'allowed' | 'denied' | 'failed';
  policy: string | null;
  vault_id: string | null;
  wallet_address: string | null;
  key_id: string | null;
  details: Record<string, unknown>;
}

interface RecordSource {
  readonly table: string;
  /** SQL: allowed, denied or failed. */
  readonly outcome: string;
  /** SQL: facts that only this source has. */
  readonly details: string;
  /** SQL: which of its rows belong to the log. */
  readonly where?: string;
}

const SOURCES: readonly RecordSource[] = [
  ...PARTY_NUMBERS.map((party) => ({
    table: `party_${party}.sign_record`,
    outcome: "CASE outcome WHEN 'denied' THEN 'denied' ELSE 'allowed' END",
    details: `'role', role, 'ledger_seq', ledger_seq, 'parties', parties, 'reason', reason,
      'message_sha256', encode(message_sha256, 'hex')`,
    // the partner's half of a signature repeats the lead's record
    where: "(role = 'lead' OR outcome = 'denied')",
  })),
  {
    table: 'refused_request',
    outcome: `CASE WHEN err_type IN ('internal_server_error', 'gateway_timeout')
      THEN 'failed' ELSE 'denied' END`,
    details: "'reason', reason, 'err_type', err_type",
  },
];

/** Newest first within each source and over all: no source gives more than `limit` rows. */
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
  const text = `SELECT chain_id, seq, prev_hash, hash, action, actor, request_id, outcome, policy,
      vault_id, wallet_address, key_id, details,
      to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS time
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
  if (source.where !== undefined) where.push(source.where);
  if (filter.outcome !== undefined) where.push(`${source.outcome} = ${parameter(filter.outcome)}`);
  return `(SELECT chain_id, seq, prev_hash, hash, at, action, actor, request_id,
      ${source.outcome} AS outcome, policy, vault_id, wallet_address, key_id,
      jsonb_strip_nulls(jsonb_build_object(${source.details})) AS details
    FROM ${source.table}${where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`}
    ORDER BY ${order})`;
}

function filterConditions(filter: AuditFilter, parameter: (value: unknown) => string): string[] {
  const conditions: string[] = [];
  const anyOf = (column: string, type: string, items: readonly string[] | undefined) => {
    if (items === undefined) return;
    conditions.push(`${column} = ANY(${parameter(items)}::${type}[])`);
  };
  anyOf('vault_id', 'uuid', filter.vault_ids);
  anyOf('wallet_address', 'text', filter.wallet_addresses);
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
  const key: AuditKey = { time: row.time, chain: row.chain_id, seq: Number(row.seq) };
  const policy = row.policy === null ? undefined : parsePolicyText(row.policy);
  return {
    ...key,
    entry: {
      chain: key.chain,
      seq: key.seq,
      time: publicTime(key.time),
      actor: row.actor,
      action: row.action,
      resource: resourceOf(row),
      outcome: row.outcome,
      request_id: row.request_id,
      ...(policy !== undefined && { policy }),
      details: row.details,
      prev_hash: toHex(row.prev_hash),
      hash: toHex(row.hash),
    },
  };
}

function resourceOf(row: RecordRow): AuditEntry['resource'] {
  const listOf = (value: string | null) => (value === null ? [] : [value]);
  const lists = {
    vault_ids: listOf(row.vault_id),
    wallet_addresses: listOf(row.wallet_address),
    key_ids: listOf(row.key_id),
    user_ids: [],
  };
  if (row.key_id !== null) return { type: 'key', ids: [row.key_id], ...lists };
  if (row.wallet_address !== null) return { type: 'wallet', ids: [], ...lists };
  if (row.vault_id !== null) return { type: 'vault', ids: [row.vault_id], ...lists };
  return { type: 'none', ids: [], ...lists };
}

/** `<policy id>/v<version>[/<rule id>]`, as the writers of the records put it. */
export function parsePolicyText(text: string): AuditEntry['policy'] {
  const match = /^([^/]+)\/v(\d{1,9})(?:\/([^/]+))?$/.exec(text);
  if (match === null) return undefined;
  const [, policyId, version, ruleId] = match;
  return {
    id: policyId!,
    version: Number(version),
    ...(ruleId !== undefined && { rule_id: ruleId }),
  };
}
