/** Writes the bodies of ledger entries, see `entry.ts`. `appendedAt`: ms. */
import { ByteWriter } from '@countersign/core/bytes.js';
import { EVIDENCE_ENTRY } from '@countersign/core/entry-hash.js';
import type { Evidence } from '@countersign/core/evidence.js';
import { sealEvidence } from '@countersign/core/write-evidence.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { writeRecord, type Layout } from '@countersign/core/records.js';
import {
  GENESIS_ENTRY,
  STATEMENTS,
  type Genesis,
  type StatementKind,
  type StatementOf,
} from './entry.js';

export function encodeGenesis(appendedAt: number, genesis: Genesis): Buffer {
  return header(GENESIS_ENTRY, appendedAt).field(JSON.stringify(genesis)).bytes();
}

export function encodeEvidenceEntry(
  appendedAt: number,
  evidence: Evidence,
  keys: Pick<EvidenceKeys, 'sealEntry'>,
): Buffer {
  const sealed = sealEvidence(evidence, { seal: keys.sealEntry });
  return header(EVIDENCE_ENTRY, appendedAt).field(sealed).bytes();
}

export const encodeAttestation = encoderOf('attestation');
export const encodeKeyRefusal = encoderOf('key-refusal');
export const encodeRecipient = encoderOf('recipient');
export const encodeEvidenceKey = encoderOf('evidence-key');
export const encodeEvidenceKeyWithdrawal = encoderOf('evidence-key-withdrawal');
export const encodeCountersignature = encoderOf('countersignature');
export const encodeAcknowledgement = encoderOf('acknowledgement');
export const encodeAnchor = encoderOf('anchor');
export const encodeSuccessor = encoderOf('successor');
export const encodeRefresh = encoderOf('refresh');

function encoderOf<Kind extends StatementKind>(
  kind: Kind,
): (appendedAt: number, statement: StatementOf<Kind>) => Buffer {
  const { code, layout } = STATEMENTS[kind];
  return (appendedAt, statement) =>
    writeRecord<Layout>(header(code, appendedAt), layout, statement)
      .fixed(statement.signature)
      .bytes();
}

function header(code: number, appendedAt: number): ByteWriter {
  return new ByteWriter().u8(code).u64(appendedAt);
}
