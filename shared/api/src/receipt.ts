/**
 * A receipt says who asked for a signature, under which rule it was given, and which parties gave it.
 * Both parties sign the same bytes with their identity keys; it is checked offline.
 */
import {
  ByteReader,
  ByteWriter,
  parseBase64,
  toBase64,
  type Bytes,
} from '@countersign/core/bytes.js';
import type { ReceiptView } from './signing-schema.js';
import { timeView } from './common-schema.js';
import { verifyEd25519 } from '@countersign/core/ed25519.js';
import type { PartyIdentity, PartyNumber } from '@countersign/core/parties.js';

export interface Receipt {
  readonly requestId: string;
  readonly keyId: string;
  /** Hex. */
  readonly messageSha256: string;
  readonly policy: { readonly id: string; readonly version: number; readonly ruleId: string };
  /** The head over which both parties decided. */
  readonly ledgerSeq: number;
  /** Its hash, hex: it names one history of the ledger. */
  readonly ledgerHash: string;
  /** The version of the rules by which the newest entry up to that head was judged. */
  readonly rulesVersion: number;
  /** Lead, then partner. */
  readonly parties: readonly [PartyNumber, PartyNumber];
  readonly signedAt: number;
}

/** What the identity keys sign. `genesisHash` (hex) ties the receipt to one deployment. */
export function receiptMessage(receipt: Receipt, genesisHash: string): Buffer {
  return new ByteWriter()
    .field('countersign receipt v2')
    .field(genesisHash)
    .fixed(encodeReceipt(receipt))
    .bytes();
}

export function encodeReceipt(receipt: Receipt): Buffer {
  return new ByteWriter()
    .field(receipt.requestId)
    .field(receipt.keyId)
    .field(receipt.messageSha256)
    .field(receipt.policy.id)
    .u32(receipt.policy.version)
    .field(receipt.policy.ruleId)
    .u64(receipt.ledgerSeq)
    .field(receipt.ledgerHash)
    .u32(receipt.rulesVersion)
    .u8(receipt.parties[0])
    .u8(receipt.parties[1])
    .u64(receipt.signedAt)
    .bytes();
}

/** Throws RangeError on malformed bytes. */
export function decodeReceipt(bytes: Bytes): Receipt {
  const reader = new ByteReader(bytes);
  const receipt: Receipt = {
    requestId: reader.text(),
    keyId: reader.text(),
    messageSha256: reader.text(),
    policy: { id: reader.text(), version: reader.u32(), ruleId: reader.text() },
    ledgerSeq: reader.u64(),
    ledgerHash: reader.text(),
    rulesVersion: reader.u32(),
    parties: [partyOf(reader.u8()), partyOf(reader.u8())],
    signedAt: reader.u64(),
  };
  reader.end();
  return receipt;
}

function partyOf(value: number): PartyNumber {
  if (value !== 1 && value !== 2 && value !== 3) throw new RangeError('unknown party');
  return value;
}

/** `signatures`: lead's, then partner's, 64 bytes each. */
export function receiptView(receipt: Receipt, signatures: readonly [Bytes, Bytes]): ReceiptView {
  const { policy, parties } = receipt;
  return {
    request_id: receipt.requestId,
    key_id: receipt.keyId,
    message_sha256: receipt.messageSha256,
    policy: { id: policy.id, version: policy.version, rule_id: policy.ruleId },
    approvals: [],
    ledger_seq: receipt.ledgerSeq,
    ledger_hash: receipt.ledgerHash,
    rules_version: receipt.rulesVersion,
    parties: [...parties],
    signed_at: timeView(receipt.signedAt),
    signatures: parties.map((party, index) => ({
      party,
      signature: toBase64(signatures[index]!),
    })),
  };
}

/**
 * Why the receipt does not hold, or undefined. `parties` and `genesisHash` come from a genesis that
 * the verifier pinned, never from the service that gave the receipt.
 */
export function findReceiptFault(
  view: ReceiptView,
  parties: readonly Pick<PartyIdentity, 'party' | 'identityPublicKey'>[],
  genesisHash: string,
): string | undefined {
  const [lead, partner] = view.parties;
  if (view.parties.length !== 2 || lead === partner) return 'must name two different parties';
  if (view.approvals.length > 0) return 'states approvals, which the parties did not sign';
  let receipt: Receipt;
  let message: Buffer;
  try {
    receipt = receiptOf(view);
    message = receiptMessage(receipt, genesisHash);
  } catch {
    return 'is malformed';
  }
  for (const party of receipt.parties) {
    const identity = parties.find((row) => row.party === party);
    const signature = view.signatures.find((row) => row.party === party)?.signature ?? '';
    const publicKey = parseBase64(identity?.identityPublicKey ?? '');
    const bytes = parseBase64(signature);
    if (publicKey === undefined || bytes === undefined) return `party ${party} did not sign`;
    if (!verifyEd25519(publicKey, message, bytes))
      return `the signature of party ${party} is wrong`;
  }
  return undefined;
}

/** Throws RangeError on a value that no receipt has. */
function receiptOf(view: ReceiptView): Receipt {
  const [lead, partner] = view.parties;
  return {
    requestId: view.request_id,
    keyId: view.key_id,
    messageSha256: view.message_sha256,
    policy: { id: view.policy.id, version: view.policy.version, ruleId: view.policy.rule_id },
    ledgerSeq: view.ledger_seq,
    ledgerHash: view.ledger_hash,
    rulesVersion: view.rules_version,
    parties: [partyOf(lead ?? 0), partyOf(partner ?? 0)],
    signedAt: Date.parse(view.signed_at),
  };
}
