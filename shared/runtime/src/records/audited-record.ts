/**
 * A record in the export of the audit log: every field that its hash covers. The entry that people read follows from
 * it, so a verifier can tell that neither was changed.
 */
import { timeView } from '@countersign/api/common-schema.js';
import type { AuditEntryView } from '@countersign/api/service-schema.js';
import { toHex } from '@countersign/core/bytes.js';
import { z } from 'zod';
import type { ChainLink, RecordValue } from './record-chain.js';
import { signRecordFields } from './sign-record.js';

const text = z.string().nullable();
const common = {
  /** Unix time, ms. */
  at: z.int().nonnegative(),
  action: z.string(),
  actor: z.string(),
  request_id: z.string(),
  /** `<policy id>/v<version>[/<rule id>]` */
  policy: text,
  vault_id: text,
  wallet_address: text,
  key_id: text,
};

/** A party's record, written before anything left it. */
const signRecord = z.strictObject({
  writer: z.enum(['party_1', 'party_2', 'party_3']),
  ...common,
  role: z.enum(['lead', 'partner']),
  outcome: z.enum(['signed', 'contributed', 'denied']),
  message_sha256: z.hex().length(64).nullable(),
  ledger_seq: z.int().nonnegative(),
  /** Lead and partner, e.g. `1,3`. */
  parties: z.string(),
  reason: text,
});

/** A gateway's record of a request that reached no party and no ledger. */
const refusedRequest = z.strictObject({
  writer: z.literal('gateway'),
  ...common,
  err_type: z.string(),
  reason: z.string(),
});

export const auditedRecord = z.discriminatedUnion('writer', [signRecord, refusedRequest]);
export type AuditedRecord = z.output<typeof auditedRecord>;
export type AuditedSignRecord = z.output<typeof signRecord>;

/** The fields that the record's hash covers, in its order. */
export function auditedFields(record: AuditedRecord): RecordValue[] {
  if (record.writer === 'gateway') {
    return [
      record.at,
      record.action,
      record.actor,
      record.request_id,
      record.err_type,
      record.reason,
      record.policy,
      record.vault_id,
      record.wallet_address,
      record.key_id,
    ];
  }
  const { message_sha256: message } = record;
  return signRecordFields({
    at: record.at,
    requestId: record.request_id,
    role: record.role,
    outcome: record.outcome,
    action: record.action,
    actorId: record.actor,
    keyId: record.key_id,
    vaultId: record.vault_id,
    walletAddress: record.wallet_address,
    messageSha256: message === null ? null : Buffer.from(message, 'hex'),
    policy: record.policy,
    ledgerSeq: record.ledger_seq,
    parties: record.parties,
    reason: record.reason,
  });
}

/** The record's entry in the audit log. */
export function recordEntryView(
  record: AuditedRecord,
  { chain, seq, prevHash, hash }: ChainLink & { readonly chain: string },
): AuditEntryView {
  const policy = record.policy === null ? undefined : parsePolicyText(record.policy);
  return {
    chain,
    seq,
    time: timeView(record.at),
    actor: record.actor,
    action: record.action,
    resource: resourceOf(record),
    outcome: outcomeOf(record),
    request_id: record.request_id,
    ...(policy !== undefined && { policy }),
    details: detailsOf(record),
    prev_hash: toHex(prevHash),
    hash: toHex(hash),
  };
}

function outcomeOf(record: AuditedRecord): AuditEntryView['outcome'] {
  if (record.writer !== 'gateway') return record.outcome === 'denied' ? 'denied' : 'allowed';
  const isFailure =
    record.err_type === 'internal_server_error' || record.err_type === 'gateway_timeout';
  return isFailure ? 'failed' : 'denied';
}

function detailsOf(record: AuditedRecord): Record<string, unknown> {
  if (record.writer === 'gateway') return { reason: record.reason, err_type: record.err_type };
  const { role, ledger_seq, parties, reason, message_sha256 } = record;
  return {
    role,
    ledger_seq,
    parties,
    ...(reason !== null && { reason }),
    ...(message_sha256 !== null && { message_sha256 }),
  };
}

function resourceOf(record: AuditedRecord): AuditEntryView['resource'] {
  const { key_id: keyId, vault_id: vaultId, wallet_address: address } = record;
  const listOf = (value: string | null) => (value === null ? [] : [value]);
  const lists = {
    vault_ids: listOf(vaultId),
    wallet_addresses: listOf(address),
    key_ids: listOf(keyId),
    user_ids: [],
  };
  if (keyId !== null) return { type: 'key', ids: [keyId], ...lists };
  if (address !== null) return { type: 'wallet', ids: [], ...lists };
  if (vaultId !== null) return { type: 'vault', ids: [vaultId], ...lists };
  return { type: 'none', ids: [], ...lists };
}

/** `<policy id>/v<version>[/<rule id>]`, as records spell it. */
export function parsePolicyText(policy: string): AuditEntryView['policy'] {
  const match = /^([^/]+)\/v(\d{1,9})(?:\/([^/]+))?$/.exec(policy);
  if (match === null) return undefined;
  const [, policyId, version, ruleId] = match;
  return {
    id: policyId!,
    version: Number(version),
    ...(ruleId !== undefined && { rule_id: ruleId }),
  };
}
