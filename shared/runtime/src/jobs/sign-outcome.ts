/** The outcome of a signing request, which the lead records and sends to the gateway. */
import {
  contributionLeaf,
  decodeReceipt,
  encodeReceipt,
  findReceiptFault,
  signatureLeaf,
  type ProvenReceipt,
  type Receipt,
  type ReceiptTrust,
} from '@countersign/api/receipt.js';
import {
  holdsLeaf,
  readProof,
  writeProof,
  type SignedWhen,
  type TreeProof,
} from '@countersign/api/signed-tree.js';
import { ByteReader, ByteWriter, type Bytes } from '@countersign/core/bytes.js';
import type { ErrType } from '@countersign/core/errors.js';
import { ERR_STATUS } from '@countersign/core/err-status.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { sha256 } from '@countersign/core/hash.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { MAX_BATCH } from './names.js';
import { openVersioned, sealVersioned, SPOKEN } from './protocol.js';

/** The lead's, then the partner's: a result counts only with both. */
type PairProof = readonly [TreeProof, TreeProof];

interface DecidedOutcome {
  /** The delivery that it answers: 16 bytes, hex. */
  readonly submission: string;
  readonly proofs: PairProof;
}

export interface SignedOutcome extends DecidedOutcome {
  readonly outcome: 'signed';
  /** Raw bytes of the scheme. */
  readonly signature: Bytes;
  /** See {@link sealSigningDetails}; empty when the request says all. */
  readonly details: Bytes;
  readonly receipt: Receipt;
}

/** Both parties denied it for policy, freeze or form. */
export interface DeniedOutcome extends DecidedOutcome {
  readonly outcome: 'denied';
  readonly requestId: string;
  readonly parties: readonly [PartyNumber, PartyNumber];
  readonly errType: ErrType;
  /** The lead's public text. */
  readonly reason: string;
}

/** Nothing was decided: the same request may be tried with another pair. Never recorded. */
export interface RetryOutcome {
  readonly outcome: 'retry';
  /** Internal text. */
  readonly reason: string;
  /** The venue's number by which this party knows the request; 0 for none. */
  readonly nonce: bigint;
  /** Whether the lead found its partner's part to be wrong. */
  readonly isPartnerAtFault: boolean;
}

export type RecordedOutcome = SignedOutcome | DeniedOutcome;
export type SignOutcome = RecordedOutcome | RetryOutcome;

/** An outcome before the lead has signed its tree. */
export type Unproven<Outcome extends RecordedOutcome = RecordedOutcome> = Outcome extends unknown
  ? Omit<Outcome, 'proofs'>
  : never;

/** The lead's statement about a request. */
export function leadLeaf(outcome: Unproven): Buffer {
  if (outcome.outcome === 'signed') return signatureLeaf(outcome.receipt, signatureHashes(outcome));
  return writeParties(new ByteWriter().field('countersign denial v1'), outcome.parties)
    .field(outcome.requestId)
    .fixed(Buffer.from(outcome.submission, 'hex'))
    .field(outcome.errType)
    .field(outcome.reason)
    .bytes();
}

/** The partner's statement about the same request. */
export function partnerLeaf(outcome: Unproven): Buffer {
  return outcome.outcome === 'signed' ? contributionLeaf(outcome.receipt) : partnerDenial(outcome);
}

/** A partner's statement about a request that it denies. */
export function partnerDenial({
  requestId,
  parties,
}: Pick<DeniedOutcome, 'requestId' | 'parties'>): Buffer {
  return writeParties(new ByteWriter().field('countersign partner denial v1'), parties)
    .field(requestId)
    .bytes();
}

function signatureHashes({ signature, submission, details }: Unproven<SignedOutcome>) {
  return {
    signatureSha256: sha256(signature),
    answerSha256: sha256(Buffer.concat([Buffer.from(submission, 'hex'), details])),
  };
}

export function provenReceipt(outcome: SignedOutcome): ProvenReceipt {
  const { receipt, proofs } = outcome;
  return { receipt, proofs, ...signatureHashes(outcome) };
}

/**
 * Who is believed about a request. A denial names no head of the ledger: keys of a party that was replaced count for
 * what was asked for before that. `askedAt`: absent for what was decided just now, by keys in force.
 */
export type ResultTrust = ReceiptTrust & Pick<SignedWhen, 'askedAt'>;

/** Why two parties did not decide this about the request; undefined if they did. */
export function findOutcomeFault(
  outcome: RecordedOutcome,
  requestId: string,
  trust: ResultTrust,
): string | undefined {
  if (outcome.outcome === 'signed') {
    if (outcome.receipt.requestId !== requestId) return 'is of another request';
    return findReceiptFault(provenReceipt(outcome), trust);
  }
  const [lead, partner] = outcome.parties;
  if (outcome.requestId !== requestId) return 'is of another request';
  if (lead === partner) return 'must name two different parties';
  if (!holdsLeaf(partnerDenial(outcome), outcome.proofs[1], partner, trust)) {
    return `was not signed by party ${partner}`;
  }
  return holdsLeaf(leadLeaf(outcome), outcome.proofs[0], lead, trust)
    ? undefined
    : `was not signed by party ${lead}`;
}

const TAG = { signed: 1, denied: 2, retry: 3 } as const;
const ERR_TYPES = Object.keys(ERR_STATUS) as ErrType[];

export function encodeOutcome(outcome: SignOutcome): Buffer {
  const writer = new ByteWriter().u8(TAG[outcome.outcome]);
  if (outcome.outcome === 'retry') {
    const { reason, nonce, isPartnerAtFault } = outcome;
    return writer
      .field(reason)
      .u64(nonce)
      .u8(isPartnerAtFault ? 1 : 0)
      .bytes();
  }
  writer.fixed(Buffer.from(outcome.submission, 'hex'));
  for (const proof of outcome.proofs) writeProof(writer, proof);
  if (outcome.outcome === 'signed') {
    const { signature, details, receipt } = outcome;
    return writer.field(signature).field(details).field(encodeReceipt(receipt)).bytes();
  }
  return writeParties(writer, outcome.parties)
    .field(outcome.requestId)
    .u8(ERR_TYPES.indexOf(outcome.errType))
    .field(outcome.reason)
    .bytes();
}

function writeParties(
  writer: ByteWriter,
  [lead, partner]: readonly [PartyNumber, PartyNumber],
): ByteWriter {
  return writer.u8(lead).u8(partner);
}

/** Throws RangeError on malformed bytes. */
export function decodeOutcome(bytes: Bytes): SignOutcome {
  const reader = new ByteReader(bytes);
  const outcome = readOutcome(reader);
  reader.end();
  return outcome;
}

/** The outcome in a row of `request_result`: a claim, until it was checked. Throws RangeError when it is none. */
export function decodeRecorded(payload: Bytes): RecordedOutcome {
  const outcome = decodeOutcome(payload);
  if (outcome.outcome === 'retry') throw new RangeError('a retry is no result');
  return outcome;
}

function readOutcome(reader: ByteReader): SignOutcome {
  const tag = reader.u8();
  if (tag === TAG.retry) {
    const [reason, nonce] = [reader.text(), reader.u64Big()];
    return { outcome: 'retry', reason, nonce, isPartnerAtFault: reader.u8() === 1 };
  }
  if (tag !== TAG.signed && tag !== TAG.denied) throw new RangeError('unknown outcome');
  const submission = reader.fixed(16).toString('hex');
  const proofs = [readProof(reader), readProof(reader)] as const;
  if (tag === TAG.signed) {
    const [signature, details] = [reader.field(), reader.field()];
    const receipt = decodeReceipt(reader.field());
    return { outcome: 'signed', submission, signature, details, receipt, proofs };
  }
  const parties = [readParty(reader), readParty(reader)] as const;
  const requestId = reader.text();
  const errType = ERR_TYPES[reader.u8()];
  if (errType === undefined) throw new RangeError('unknown error type');
  const reason = reader.text();
  return { outcome: 'denied', submission, requestId, parties, errType, reason, proofs };
}

function readParty(reader: ByteReader): PartyNumber {
  const party = reader.u8();
  if (party !== 1 && party !== 2 && party !== 3) throw new RangeError('unknown party');
  return party;
}

/** What the answer to a venue request needs beyond the request and its signature. */
export interface SigningDetails {
  readonly nonce: bigint;
  readonly venueApiKey: string;
  /** In the form that the venue asks for. */
  readonly passphrase: string;
}

/** Names the request that sealed details belong to: details of another one do not open. */
type DetailsOwner = Pick<Receipt, 'requestId' | 'keyId'>;

function detailsContext({ requestId, keyId }: DetailsOwner): Buffer {
  return new ByteWriter()
    .field('countersign signing details v1')
    .field(requestId)
    .field(keyId)
    .bytes();
}

const NO_DETAILS: SigningDetails = { nonce: 0n, venueApiKey: '', passphrase: '' };

/** Sealed, since results are kept in PostgreSQL and a passphrase is a secret there. */
export function sealSigningDetails(
  details: SigningDetails,
  owner: DetailsOwner,
  keys: EvidenceKeys,
): Bytes {
  const { nonce, venueApiKey, passphrase } = details;
  const bytes = new ByteWriter().u64(nonce).field(venueApiKey).field(passphrase).bytes();
  return keys.seal(bytes, detailsContext(owner));
}

/** Throws EvidenceSealError or RangeError. */
export function openSigningDetails(
  sealed: Bytes,
  owner: DetailsOwner,
  keys: EvidenceKeys,
): SigningDetails {
  if (sealed.length === 0) return NO_DETAILS;
  const reader = new ByteReader(keys.open(sealed, detailsContext(owner)));
  const details = {
    nonce: reader.u64Big(),
    venueApiKey: reader.text(),
    passphrase: reader.text(),
  };
  reader.end();
  return details;
}

/** Outcomes of some items of a batch, by index in the batch. */
export interface SignReply {
  /** Of the protocol: the batch's. */
  readonly version: number;
  readonly batchId: string;
  readonly outcomes: readonly { readonly index: number; readonly outcome: SignOutcome }[];
  /**
   * The lead's, over {@link retryMessage}: a decision has its own proof, and a retry has none. 64 bytes, or empty when
   * every item was decided.
   */
  readonly retrySignature: Bytes;
}

/** What the lead signs of a reply: which items of its batch are to be tried again. `genesisHash`: hex. */
export function retryMessage(
  { batchId, outcomes }: Pick<SignReply, 'batchId' | 'outcomes'>,
  genesisHash: string,
): Buffer {
  const writer = new ByteWriter()
    .field('countersign retry v1')
    .field(genesisHash)
    .fixed(Buffer.from(batchId, 'hex'));
  for (const { index, outcome } of outcomes) {
    if (outcome.outcome === 'retry') writer.u32(index).field(encodeOutcome(outcome));
  }
  return writer.bytes();
}

/** Binds the gateway's id, so that the reply means nothing to another. */
export function sealReply(reply: SignReply, gatewayId: string, keys: EvidenceKeys): Buffer {
  const writer = new ByteWriter().fixed(Buffer.from(reply.batchId, 'hex'));
  writer.field(reply.retrySignature).u32(reply.outcomes.length);
  for (const { index, outcome } of reply.outcomes) writer.u32(index).field(encodeOutcome(outcome));
  return sealVersioned(keys, reply.version, writer.bytes(), replyContext(gatewayId));
}

/** Throws EvidenceSealError, RangeError or ForeignVersionError: such a reply is dropped. */
export function openReply(
  reply: Bytes,
  gatewayId: string,
  keys: EvidenceKeys,
  spoken = SPOKEN,
): SignReply {
  const { version, plain } = openVersioned(keys, reply, replyContext(gatewayId), spoken);
  const reader = new ByteReader(plain);
  const batchId = reader.fixed(16).toString('hex');
  const retrySignature = reader.field();
  const outcomes = Array.from({ length: boundedCount(reader.u32()) }, () => ({
    index: reader.u32(),
    outcome: decodeOutcome(reader.field()),
  }));
  reader.end();
  return { version, batchId, outcomes, retrySignature };
}

function boundedCount(count: number): number {
  if (count > MAX_BATCH) throw new RangeError('more outcomes than a batch has items');
  return count;
}

function replyContext(gatewayId: string): (version: number) => Buffer {
  return (version) =>
    new ByteWriter().field(`countersign sign reply v${version}`).field(gatewayId).bytes();
}
