/**
 * A receipt says which request was signed with which key, under which rule and over which ledger, and which parties
 * signed. Each of the two signs a tree of all receipts of a batch with its identity key: the partner before there is a
 * signature, the lead with the signature's hash. Anybody can check it offline: docs/reference/receipts.md.
 */
import {
  ByteReader,
  ByteWriter,
  parseBase64,
  parseHex,
  toBase64,
  toHex,
  type Bytes,
} from '@countersign/core/bytes.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import {
  isAssetName,
  isPrice,
  isPriceName,
  type UsedPrice,
} from '@countersign/core/price-snapshot.js';
import { timeView } from './common-schema.js';
import { holdsLeaf, type TreeProof, type VerifyParty } from './signed-tree.js';
import type * as s from '@countersign/core/shapes.js';
import type { ReceiptView, usedPrice } from './signing-schema.js';

export interface Receipt {
  readonly requestId: string;
  readonly keyId: string;
  /** Hex. */
  readonly messageSha256: string;
  readonly policy: { readonly id: string; readonly version: number; readonly ruleId: string };
  /** The head over which both parties decided. */
  readonly ledgerSeq: number;
  /** Its hash, hex, which names one history of the ledger. */
  readonly ledgerHash: string;
  /** The version of the rules that judged the newest entry up to that head. */
  readonly rulesVersion: number;
  /** Lead, then partner. */
  readonly parties: readonly [PartyNumber, PartyNumber];
  readonly signedAt: number;
  /** Approvals that both parties counted, in the order in which they were given; absent for none. */
  readonly approvals?: readonly ReceiptApproval[];
  /** Prices at which it was valued; absent if no rule asked for a value, and never empty. */
  readonly prices?: readonly UsedPrice[] | undefined;
}

export interface ReceiptApproval {
  readonly userId: string;
  /** Hash of the ledger entry that is the approval, hex. */
  readonly entryHash: string;
}

/** No rule can ask for as many: a quorum is at most 100 in each of a few security groups. */
const MAX_APPROVALS = 255;

/** The partner's statement about a request that it contributed to. `encoded`: see {@link encodeReceipt}. */
export function contributionLeaf(
  receipt: Receipt,
  encoded: Bytes = encodeReceipt(receipt),
): Buffer {
  const version = versionOf(receipt);
  return new ByteWriter().field(`countersign contribution ${version}`).fixed(encoded).bytes();
}

/** What the lead knows of a signature and its partner cannot: SHA-256 each, 32 bytes. */
export interface SignatureHashes {
  readonly signatureSha256: Bytes;
  /** Hash of everything else that the lead gave to the gateway with it. */
  readonly answerSha256: Bytes;
}

/** The lead's statement about a request that it signed. */
export function signatureLeaf(
  receipt: Receipt,
  hashes: SignatureHashes,
  encoded: Bytes = encodeReceipt(receipt),
): Buffer {
  return new ByteWriter()
    .field(`countersign signature ${versionOf(receipt)}`)
    .fixed(encoded)
    .fixed(hashes.signatureSha256)
    .fixed(hashes.answerSha256)
    .bytes();
}

/** A receipt with prices begins with another text, so its bytes are never those of one without. */
function versionOf({ prices }: Receipt): 'v1' | 'v2' {
  return prices === undefined ? 'v1' : 'v2';
}

/** A receipt with its proofs: the lead's, then its partner's. */
export interface ProvenReceipt extends SignatureHashes {
  readonly receipt: Receipt;
  readonly proofs: readonly [TreeProof, TreeProof];
}

/** `verifyParty` and `genesisHash` (hex) come from a genesis that the verifier pinned. */
export interface ReceiptTrust {
  readonly genesisHash: string;
  readonly verifyParty: VerifyParty;
}

/** Why the receipt does not hold, or undefined. */
export function findReceiptFault(
  { receipt, proofs, ...hashes }: ProvenReceipt,
  given: ReceiptTrust,
): string | undefined {
  const { genesisHash, verifyParty } = given;
  const trust = { genesisHash, verifyParty, seq: receipt.ledgerSeq };
  const [lead, partner] = receipt.parties;
  if (lead === partner) return 'must name two different parties';
  const encoded = encodeReceipt(receipt);
  if (!holdsLeaf(contributionLeaf(receipt, encoded), proofs[1], partner, trust)) {
    return `was not signed by party ${partner}`;
  }
  return holdsLeaf(signatureLeaf(receipt, hashes, encoded), proofs[0], lead, trust)
    ? undefined
    : `was not signed by party ${lead}`;
}

/**
 * Approvals and prices come last, so a receipt without either keeps the bytes that it always had. Before prices there
 * is a count of approvals, which may be zero.
 */
export function encodeReceipt(receipt: Receipt): Buffer {
  const writer = new ByteWriter()
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
    .u64(receipt.signedAt);
  const { approvals = [], prices } = receipt;
  if (approvals.length > MAX_APPROVALS) throw new RangeError('too many approvals');
  if (approvals.length > 0 || prices !== undefined) writer.u8(approvals.length);
  for (const { userId, entryHash } of approvals) writer.field(userId).field(entryHash);
  if (prices === undefined) return writer.bytes();
  writer.u32(prices.length);
  for (const { asset, price, at, relay } of prices) {
    writer.field(asset).field(price).u64(at).field(relay);
  }
  return writer.bytes();
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
  if (reader.isAtEnd) return receipt;
  const approvals = readApprovals(reader);
  if (reader.isAtEnd && approvals.length === 0) throw new RangeError('trailing bytes');
  const prices = reader.isAtEnd ? undefined : readPrices(reader);
  reader.end();
  return {
    ...receipt,
    ...(approvals.length > 0 && { approvals }),
    ...(prices !== undefined && { prices }),
  };
}

function readApprovals(reader: ByteReader): ReceiptApproval[] {
  return Array.from({ length: reader.u8() }, () => ({
    userId: reader.text(),
    entryHash: reader.text(),
  }));
}

/** No request could name as many. */
const MAX_PRICES = 64;

function readPrices(reader: ByteReader): UsedPrice[] {
  const length = reader.u32();
  if (length === 0 || length > MAX_PRICES)
    throw new RangeError('the receipt states malformed prices');
  return Array.from({ length }, () =>
    requirePrice({
      asset: reader.text(),
      price: reader.text(),
      at: reader.u64(),
      relay: reader.text(),
    }),
  );
}

function requirePrice(used: UsedPrice): UsedPrice {
  if (isAssetName(used.asset) && isPrice(used.price) && isPriceName(used.relay)) return used;
  throw new RangeError('the receipt states a malformed price');
}

function partyOf(value: number): PartyNumber {
  if (value !== 1 && value !== 2 && value !== 3) throw new RangeError('unknown party');
  return value;
}

export function receiptView(proven: ProvenReceipt): ReceiptView {
  const { receipt, proofs, signatureSha256, answerSha256 } = proven;
  const { policy, parties } = receipt;
  return {
    request_id: receipt.requestId,
    key_id: receipt.keyId,
    message_sha256: receipt.messageSha256,
    signature_sha256: toHex(signatureSha256),
    answer_sha256: toHex(answerSha256),
    policy: { id: policy.id, version: policy.version, rule_id: policy.ruleId },
    approvals: (receipt.approvals ?? []).map(({ userId, entryHash }) => ({
      user_id: userId,
      entry_hash: entryHash,
    })),
    ...(receipt.prices !== undefined && { prices: receipt.prices.map(usedPriceView) }),
    ledger_seq: receipt.ledgerSeq,
    ledger_hash: receipt.ledgerHash,
    rules_version: receipt.rulesVersion,
    parties: [...parties],
    signed_at: timeView(receipt.signedAt),
    signatures: parties.map((party, index) => proofView(party, proofs[index]!)),
  };
}

export function usedPriceView({ at, ...used }: UsedPrice): s.InputOf<typeof usedPrice> {
  return { ...used, at: timeView(at) };
}

function proofView(party: PartyNumber, proof: TreeProof): ReceiptView['signatures'][number] {
  return {
    party,
    leaf_index: proof.index,
    tree_size: proof.size,
    inclusion_path: proof.path.map(toHex),
    signature: toBase64(proof.signature),
  };
}

/** Why the shown receipt does not hold; undefined when it does. */
export function findViewFault(view: ReceiptView, trust: ReceiptTrust): string | undefined {
  if (view.parties.length !== 2) return 'must name two different parties';
  try {
    return findReceiptFault(provenReceiptOf(view), trust);
  } catch {
    // only making the signed bytes shows a number that does not fit into them
    return 'is malformed';
  }
}

/** Throws RangeError on values that no receipt has. */
export function provenReceiptOf(view: ReceiptView): ProvenReceipt {
  const receipt = receiptOf(view);
  const [lead, partner] = receipt.parties;
  const [ofLead, ofPartner, ...others] = view.signatures;
  if (others.length > 0) throw new RangeError('more signatures than two');
  return {
    receipt,
    signatureSha256: hashOf(view.signature_sha256),
    answerSha256: hashOf(view.answer_sha256),
    proofs: [proofOf(ofLead, lead), proofOf(ofPartner, partner)],
  };
}

function proofOf(
  given: ReceiptView['signatures'][number] | undefined,
  party: PartyNumber,
): TreeProof {
  const signature = parseBase64(given?.signature ?? '');
  if (given?.party !== party || signature === undefined) throw new RangeError('no signature');
  return {
    index: given.leaf_index,
    size: given.tree_size,
    path: given.inclusion_path.map(hashOf),
    signature,
  };
}

function hashOf(hex: string): Buffer {
  const bytes = parseHex(hex);
  if (bytes?.length !== 32) throw new RangeError('not a SHA-256 hash');
  return bytes;
}

/** Throws RangeError on values that no receipt has. */
function receiptOf(view: ReceiptView): Receipt {
  const [lead, partner] = view.parties;
  const signedAt = momentOf(view.signed_at);
  return {
    requestId: view.request_id,
    keyId: view.key_id,
    messageSha256: view.message_sha256,
    policy: { id: view.policy.id, version: view.policy.version, ruleId: view.policy.rule_id },
    ledgerSeq: view.ledger_seq,
    ledgerHash: view.ledger_hash,
    rulesVersion: view.rules_version,
    parties: [partyOf(lead ?? 0), partyOf(partner ?? 0)],
    signedAt,
    ...(view.approvals.length > 0 && {
      approvals: view.approvals.map(({ user_id: userId, entry_hash: entryHash }) => ({
        userId,
        entryHash,
      })),
    }),
    ...(view.prices !== undefined && { prices: pricesOf(view.prices) }),
  };
}

function pricesOf(views: NonNullable<ReceiptView['prices']>): UsedPrice[] {
  if (views.length === 0) throw new RangeError('the receipt states malformed prices');
  return views.map(({ asset, price, at, relay }) =>
    requirePrice({ asset, price, at: momentOf(at), relay }),
  );
}

/**
 * The signed time is a number. Only one spelling of it is accepted, or a reader could be shown more than was signed.
 */
function momentOf(text: string): number {
  const at = Date.parse(text);
  if (timeView(at) !== text) throw new RangeError('the receipt states a malformed time');
  return at;
}
