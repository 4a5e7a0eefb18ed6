/** What one record shows by itself: its hash, its line, its receipt. */
import { isDeepStrictEqual } from 'node:util';
import { findViewFault, type ReceiptTrust } from '@countersign/api/receipt.js';
import type { ReceiptView } from '@countersign/api/signing-schema.js';
import { createVerifyParty, type KnownIdentity } from '@countersign/api/signed-tree.js';
import {
  auditedFields,
  recordEntryView,
  type AuditedRecord,
  type AuditedSignRecord,
} from '@countersign/runtime/records/audited-record.js';
import { recordHash } from '@countersign/runtime/records/record-chain.js';
import type { AuditFault, FaultName } from './audit-fault.js';
import type { Link, RecordLine } from './export-line.js';

/** What the verifier was given, and trusts. */
export interface TrustedGenesis {
  /** Hex. */
  readonly genesisHash: string;
  readonly parties: readonly KnownIdentity[];
}

/**
 * In the order of a vault's export a few dozen would do. In any other order a signature is verified again once it is
 * forgotten: these are the trees of a million lines, which thirty receipts share, in 20 MB of each thread.
 */
const REMEMBERED_TREES = 65_536;

/** It remembers the trees that it found signed: one for all lines that one thread checks. */
export function trustReceipts({ genesisHash, parties }: TrustedGenesis): ReceiptTrust {
  return { genesisHash, verifyParty: createVerifyParty(parties, REMEMBERED_TREES) };
}

/** What is left to be compared with other lines. */
export interface RecordFacts extends Link {
  readonly writer: AuditedRecord['writer'];
  readonly chain: string;
  readonly at: number;
  readonly requestId: string;
  /** Of a party's record alone. */
  readonly signing?: SigningFacts | undefined;
}

export interface SigningFacts {
  readonly role: 'lead' | 'partner';
  readonly outcome: 'signed' | 'contributed' | 'denied';
  readonly ledgerSeq: number;
  readonly parties: string;
  /** SHA-256, hex; null where none was composed. */
  readonly message: string | null;
  /** What else lead and partner must say alike. */
  readonly said: string;
  readonly receipt?: ReceiptPlace | undefined;
  /** Its line says that no lead has a record of the request. */
  readonly isToldLone: boolean;
}

/** What a receipt says of the ledger. */
export interface ReceiptPlace {
  readonly seq: number;
  /** Hex. */
  readonly hash: string;
  readonly rules: number;
  /** `<policy id>/v<version>/<rule id>` */
  readonly rule: string;
}

export function checkRecord(
  line: RecordLine,
  trust: ReceiptTrust,
): { readonly facts: RecordFacts; readonly faults: AuditFault[] } {
  const { record, chain, seq, prevHash, hash } = line;
  const where = `${record.writer} ${chain} ${seq}`;
  const faults: AuditFault[] = [];
  const fault = (name: FaultName, what: string) => faults.push({ name, where, what });
  const previous = Buffer.from(prevHash, 'hex');
  if (recordHash(chain, seq, previous, auditedFields(record)).toString('hex') !== hash) {
    fault('record-edited', 'its hash is not that of its contents');
  }
  if (!isToldAsRecorded(line)) fault('record-edited', 'its line says something else than it does');
  if (line.receipt !== undefined) {
    const wrong = receiptFault(record, line.receipt, trust);
    if (wrong !== undefined) fault(...wrong);
  }
  const { writer, at, request_id: requestId } = record;
  const signing = record.writer === 'gateway' ? undefined : signingFacts(record, line);
  return { facts: { writer, chain, seq, prevHash, hash, at, requestId, signing }, faults };
}

function isToldAsRecorded({ entry, record, chain, seq, prevHash, hash }: RecordLine): boolean {
  const link = {
    chain,
    seq,
    prevHash: Buffer.from(prevHash, 'hex'),
    hash: Buffer.from(hash, 'hex'),
  };
  const details = { ...(entry['details'] as object | undefined) } as Record<string, unknown>;
  // that it is alone follows from other records, with which it is compared
  const isLone = isToldLone({ entry, record });
  if (isLone) delete details['lead_record'];
  const told = isLone ? { ...entry, details } : entry;
  const expected = recordEntryView(record, link);
  // as gateways write it, it is the same text: that is far quicker to see
  return JSON.stringify(told) === JSON.stringify(expected) || isDeepStrictEqual(told, expected);
}

function isToldLone({ entry, record }: Pick<RecordLine, 'entry' | 'record'>): boolean {
  const details = entry['details'] as Readonly<Record<string, unknown>> | null | undefined;
  return (
    record.writer !== 'gateway' &&
    record.outcome === 'contributed' &&
    details?.['lead_record'] === 'none'
  );
}

function signingFacts(record: AuditedSignRecord, line: RecordLine): SigningFacts {
  const { receipt } = line;
  const { role, outcome, ledger_seq: ledgerSeq, parties } = record;
  return {
    role,
    outcome,
    ledgerSeq,
    parties,
    message: record.message_sha256,
    said: [record.key_id, record.policy, ledgerSeq, parties].join(' '),
    isToldLone: isToldLone(line),
    ...(outcome === 'signed' &&
      receipt !== undefined && {
        receipt: {
          seq: receipt.ledger_seq,
          hash: receipt.ledger_hash,
          rules: receipt.rules_version,
          rule: ruleOf(receipt.policy),
        },
      }),
  };
}

function receiptFault(
  record: AuditedRecord,
  receipt: ReceiptView,
  trust: ReceiptTrust,
): [FaultName, string] | undefined {
  if (record.writer === 'gateway' || record.outcome !== 'signed') {
    return ['receipt-differs', 'it is no signature, and has a receipt'];
  }
  const wrong = findViewFault(receipt, trust);
  if (wrong !== undefined) return ['receipt-forged', `the receipt ${wrong}`];
  const isOfRecord =
    receipt.request_id === record.request_id &&
    receipt.key_id === record.key_id &&
    receipt.message_sha256 === record.message_sha256 &&
    ruleOf(receipt.policy) === record.policy &&
    receipt.ledger_seq === record.ledger_seq &&
    receipt.parties.join(',') === record.parties &&
    record.writer === `party_${receipt.parties[0]}`;
  return isOfRecord
    ? undefined
    : ['receipt-differs', 'the receipt says something else than the record'];
}

function ruleOf(policy: {
  readonly id: string;
  readonly version: number;
  readonly rule_id: string;
}): string {
  return `${policy.id}/v${policy.version}/${policy.rule_id}`;
}
