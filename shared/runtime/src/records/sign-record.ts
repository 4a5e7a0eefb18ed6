/** One party's record of a signing request: written before anything leaves the party. */
import type { Bytes } from '@countersign/core/bytes.js';
import type { RecordValue } from './record-chain.js';

export interface SignRecord {
  readonly at: number;
  readonly requestId: string;
  readonly role: 'lead' | 'partner';
  readonly outcome: 'signed' | 'contributed' | 'denied';
  /** The operation's id. */
  readonly action: string;
  readonly actorId: string;
  readonly keyId: string | null;
  readonly vaultId: string | null;
  readonly walletAddress: string | null;
  readonly messageSha256: Bytes | null;
  /** `<policy id>/v<version>/<rule id>` */
  readonly policy: string | null;
  /** The head over which the party decided. */
  readonly ledgerSeq: number;
  /** Lead and partner, e.g. `1,3`. */
  readonly parties: string;
  readonly reason: string | null;
}

export const SIGN_RECORD_COLUMNS = [
  ['at', 'timestamptz'],
  ['request_id', 'uuid'],
  ['role', 'text'],
  ['outcome', 'text'],
  ['action', 'text'],
  ['actor', 'uuid'],
  ['key_id', 'uuid'],
  ['vault_id', 'uuid'],
  ['wallet_address', 'text'],
  ['message_sha256', 'bytea'],
  ['policy', 'text'],
  ['ledger_seq', 'bigint'],
  ['parties', 'text'],
  ['reason', 'text'],
] as const;

/** In the order of {@link SIGN_RECORD_COLUMNS}, which the chain's hash covers too. */
export function signRecordFields(record: SignRecord): RecordValue[] {
  return [
    record.at,
    record.requestId,
    record.role,
    record.outcome,
    record.action,
    record.actorId,
    record.keyId,
    record.vaultId,
    record.walletAddress,
    record.messageSha256,
    record.policy,
    record.ledgerSeq,
    record.parties,
    record.reason,
  ];
}
