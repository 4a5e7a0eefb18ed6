/**
 * Ledger entries: a few kinds of body, one hash chain.
 *
 * body = kind u8 ‖ appended_at u64 (ms) ‖ content
 * hash: see `entryHash`; the first previous hash is zero.
 *
 * `appended_at` is what the appender's clock showed: a note for people, by which nothing is judged.
 */
import * as s from '@countersign/core/shapes.js';
import { ByteReader, ByteWriter, parseBase64, toHex } from '@countersign/core/bytes.js';
import type { Bytes } from '@countersign/core/bytes.js';
import { UUID_PATTERN } from '@countersign/core/hash.js';
import { decodeSealedEvidence, sealEvidence, type Evidence } from '@countersign/core/evidence.js';
import type { SealedEvidence } from '@countersign/core/evidence.js';
import { KEY_ID_BYTES, type EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { EVIDENCE_ENTRY } from '@countersign/core/entry-hash.js';
import { ADMIN_POLICY_TYPES } from '@countersign/api/requests/admin-policy-types.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import type {
  Acknowledgement,
  Anchor,
  Countersignature,
} from '@countersign/core/party-statements.js';
import type {
  RefreshStatement,
  SuccessorConfirmation,
} from '@countersign/core/party-succession.js';

export interface EntryRow {
  readonly seq: number;
  readonly prevHash: Bytes;
  readonly hash: Bytes;
  readonly body: Bytes;
}

export const GENESIS_PREV_HASH = Buffer.alloc(32);

/** Room for a request of the largest size that the API takes, with what evidence adds. A larger entry is unreadable. */
export const MAX_ENTRY_BYTES = 300 * 1024;
/** The last millisecond of the year 9999: every time in the ledger lies before it, and prints. */
export const MAX_TIME_MS = 253_402_300_799_999;
/** Chains of records in one anchor. */
export const MAX_ANCHORED_CHAINS = 256;
/** Keys in one statement about new shares. */
export const MAX_REFRESHED_KEYS = 512;
const SESSION = /^[0-9a-f]{32}$/;

const uuid = s.string().regex(UUID_PATTERN, 'must be a UUID in lower case');
const base64 = s
  .string()
  .refine((text) => parseBase64(text) !== undefined, 'must be standard base64');
const hex = (bytes: number) =>
  s
    .string()
    .length(2 * bytes)
    .regex(/^[0-9a-f]*$/, 'must be lower-case hex');

const genesisSchema = s.strictObject({
  /** The version of the rules under which the vault begins. */
  rules_version: s.int().min(1).max(0xffffffff),
  vault_id: uuid,
  parties: s
    .array(
      s.strictObject({
        party: s.literal(PARTY_NUMBERS),
        identity_public_key: base64,
        exchange_public_key: base64,
      }),
    )
    .length(3),
  /** The relying party of passkeys, fixed for good. Absent: people cannot enrol. */
  passkeys: s
    .strictObject({
      rp_id: s.string().min(1).max(253),
      origins: s.array(s.string().min(1).max(300)).min(1).max(10),
    })
    .optional(),
  evidence_key_ids: s.array(hex(KEY_ID_BYTES)).min(1),
  users: s
    .array(
      s.strictObject({
        id: uuid,
        display_name: s.string(),
        public_key: base64,
        api_key_sha256: hex(32),
      }),
    )
    .min(1),
  admin_policies: s
    .array(
      s.strictObject({
        id: uuid,
        display_name: s.string(),
        action: s.words(ADMIN_POLICY_TYPES),
        user_ids: s.array(uuid).min(1),
      }),
    )
    .min(1),
});

/** `countersign init` writes this: the parties and users that the vault starts with. Public keys are raw, base64. */
export type Genesis = s.OutputOf<typeof genesisSchema>;

/** A fact about a key that one party vouches for with its identity key. */
export interface KeyAttestation {
  readonly party: PartyNumber;
  readonly keyId: string;
  /** Names one run of the ceremony. */
  readonly session: string;
  /** As in the state's `Key.publicKey`. */
  readonly publicKey: Bytes;
  /** SHA-256 over the public transcript of the ceremony, 32 bytes. */
  readonly transcriptHash: Bytes;
  /** Ed25519 over {@link import('@countersign/core/attestation.js').keyAttestationMessage}, 64 bytes. */
  readonly signature: Bytes;
}

/** One party's statement that a key will never be complete. */
export interface KeyRefusal {
  readonly party: PartyNumber;
  readonly keyId: string;
  /** Public text. */
  readonly reason: string;
  /** Ed25519 over {@link import('@countersign/core/attestation.js').keyRefusalMessage}, 64 bytes. */
  readonly signature: Bytes;
}

/** A party's new key for imports. */
export interface RecipientAttestation {
  readonly party: PartyNumber;
  /** UUID. */
  readonly recipientId: string;
  /** X25519, 32 bytes. */
  readonly publicKey: Bytes;
  readonly expiresAt: number;
  /** Ed25519 over {@link import('@countersign/core/import-recipient.js').recipientMessage}, 64 bytes. */
  readonly signature: Bytes;
}

/** A party's statement that it holds an evidence key. */
export interface EvidenceKeyAttestation {
  readonly party: PartyNumber;
  /** 8 bytes, hex. */
  readonly evidenceKeyId: string;
  /** Ed25519 over {@link import('@countersign/core/evidence-seal.js').evidenceKeyMessage}, 64 bytes. */
  readonly signature: Bytes;
}

/** A party's statement that it no longer trusts a declared evidence key. */
export interface EvidenceKeyWithdrawal {
  readonly party: PartyNumber;
  /** 8 bytes, hex. */
  readonly evidenceKeyId: string;
  /** Ed25519 over {@link import('@countersign/core/evidence-seal.js').evidenceKeyWithdrawalMessage}, 64 bytes. */
  readonly signature: Bytes;
}

/** A party's statement about the ledger, with its Ed25519 signature (64 bytes) over the statement's message. */
export type Signed<Word> = Word & { readonly signature: Bytes };

export type EntryContent =
  | { readonly kind: 'genesis'; readonly genesis: Genesis }
  | { readonly kind: 'evidence'; readonly evidence: SealedEvidence }
  | { readonly kind: 'attestation'; readonly attestation: KeyAttestation }
  | { readonly kind: 'key-refusal'; readonly refusal: KeyRefusal }
  | { readonly kind: 'recipient'; readonly recipient: RecipientAttestation }
  | { readonly kind: 'evidence-key'; readonly evidenceKey: EvidenceKeyAttestation }
  | { readonly kind: 'evidence-key-withdrawal'; readonly withdrawal: EvidenceKeyWithdrawal }
  | { readonly kind: 'successor'; readonly confirmation: Signed<SuccessorConfirmation> }
  | { readonly kind: 'refresh'; readonly refreshed: Signed<RefreshStatement> }
  | { readonly kind: 'countersignature'; readonly statement: Signed<Countersignature> }
  | { readonly kind: 'acknowledgement'; readonly statement: Signed<Acknowledgement> }
  | { readonly kind: 'anchor'; readonly statement: Signed<Anchor> };

export interface EntryBody {
  readonly appendedAt: number;
  readonly content: EntryContent;
}

const KIND = {
  genesis: 1,
  evidence: EVIDENCE_ENTRY,
  attestation: 3,
  'key-refusal': 4,
  recipient: 5,
  'evidence-key': 6,
  countersignature: 7,
  acknowledgement: 8,
  anchor: 9,
  'evidence-key-withdrawal': 10,
  successor: 11,
  refresh: 12,
} as const;

export function encodeGenesis(appendedAt: number, genesis: Genesis): Buffer {
  return header(KIND.genesis, appendedAt).field(JSON.stringify(genesis)).bytes();
}

export function encodeEvidenceEntry(
  appendedAt: number,
  evidence: Evidence,
  keys: Pick<EvidenceKeys, 'sealEntry'>,
): Buffer {
  const sealed = sealEvidence(evidence, { seal: keys.sealEntry });
  return header(KIND.evidence, appendedAt).field(sealed).bytes();
}

export function encodeAttestation(appendedAt: number, fact: KeyAttestation): Buffer {
  return header(KIND.attestation, appendedAt)
    .u8(fact.party)
    .field(fact.keyId)
    .field(fact.session)
    .field(fact.publicKey)
    .fixed(fact.transcriptHash)
    .fixed(fact.signature)
    .bytes();
}

export function encodeKeyRefusal(appendedAt: number, fact: KeyRefusal): Buffer {
  return header(KIND['key-refusal'], appendedAt)
    .u8(fact.party)
    .field(fact.keyId)
    .field(fact.reason)
    .fixed(fact.signature)
    .bytes();
}

export function encodeRecipient(appendedAt: number, fact: RecipientAttestation): Buffer {
  return header(KIND.recipient, appendedAt)
    .u8(fact.party)
    .field(fact.recipientId)
    .fixed(fact.publicKey)
    .u64(fact.expiresAt)
    .fixed(fact.signature)
    .bytes();
}

export function encodeEvidenceKey(appendedAt: number, fact: EvidenceKeyAttestation): Buffer {
  return writeEvidenceKeyStatement(header(KIND['evidence-key'], appendedAt), fact);
}

export function encodeEvidenceKeyWithdrawal(
  appendedAt: number,
  fact: EvidenceKeyWithdrawal,
): Buffer {
  return writeEvidenceKeyStatement(header(KIND['evidence-key-withdrawal'], appendedAt), fact);
}

function writeEvidenceKeyStatement(
  writer: ByteWriter,
  fact: EvidenceKeyAttestation | EvidenceKeyWithdrawal,
): Buffer {
  return writer
    .u8(fact.party)
    .fixed(Buffer.from(fact.evidenceKeyId, 'hex'))
    .fixed(fact.signature)
    .bytes();
}

export function encodeCountersignature(
  appendedAt: number,
  statement: Signed<Countersignature>,
): Buffer {
  return header(KIND.countersignature, appendedAt)
    .u8(statement.party)
    .u64(statement.seq)
    .fixed(statement.hash)
    .u64(statement.at)
    .u32(statement.rules)
    .u32(statement.newestRules)
    .fixed(statement.signature)
    .bytes();
}

export function encodeAcknowledgement(
  appendedAt: number,
  statement: Signed<Acknowledgement>,
): Buffer {
  return header(KIND.acknowledgement, appendedAt)
    .u8(statement.party)
    .u64(statement.seq)
    .fixed(statement.hash)
    .fixed(statement.signature)
    .bytes();
}

export function encodeAnchor(appendedAt: number, statement: Signed<Anchor>): Buffer {
  const writer = header(KIND.anchor, appendedAt).u8(statement.party).u32(statement.chains.length);
  for (const { chainId, seq, hash } of statement.chains) writer.field(chainId).u64(seq).fixed(hash);
  return writer.fixed(statement.signature).bytes();
}

export function encodeSuccessor(appendedAt: number, fact: Signed<SuccessorConfirmation>): Buffer {
  return header(KIND.successor, appendedAt)
    .u8(fact.party)
    .u8(fact.replaced)
    .fixed(fact.identityPublicKey)
    .fixed(fact.exchangePublicKey)
    .fixed(fact.requestHash)
    .fixed(fact.signature)
    .bytes();
}

export function encodeRefresh(appendedAt: number, fact: Signed<RefreshStatement>): Buffer {
  const writer = header(KIND.refresh, appendedAt)
    .u8(fact.party)
    .u32(fact.refresh)
    .u32(fact.keys.length);
  for (const { keyId, session, transcriptHash } of fact.keys) {
    writer.field(keyId).field(session).fixed(transcriptHash);
  }
  return writer.fixed(fact.signature).bytes();
}

/** Throws on a body that is none of these kinds, or too large: such an entry is refused by the fold. */
export function decodeEntryBody(bytes: Bytes): EntryBody {
  if (bytes.length > MAX_ENTRY_BYTES) throw new RangeError('the entry is too large');
  const reader = new ByteReader(bytes);
  const kind = reader.u8();
  const appendedAt = readTime(reader);
  const content = decodeContent(kind, reader);
  reader.end();
  return { appendedAt, content };
}

function decodeContent(kind: number, reader: ByteReader): EntryContent {
  switch (kind) {
    case KIND.genesis:
      return { kind: 'genesis', genesis: genesisSchema.parse(JSON.parse(reader.text())) };
    case KIND.evidence:
      return { kind: 'evidence', evidence: readEvidence(reader) };
    case KIND.attestation:
      return { kind: 'attestation', attestation: decodeAttestation(reader) };
    case KIND['key-refusal']: {
      const refusal = { party: readParty(reader), keyId: reader.text(), reason: reader.text() };
      return { kind: 'key-refusal', refusal: { ...refusal, signature: reader.fixed(64) } };
    }
    case KIND.recipient:
      return {
        kind: 'recipient',
        recipient: {
          party: readParty(reader),
          recipientId: reader.text(),
          publicKey: reader.fixed(32),
          expiresAt: readTime(reader),
          signature: reader.fixed(64),
        },
      };
    case KIND['evidence-key']:
      return { kind: 'evidence-key', evidenceKey: readEvidenceKeyStatement(reader) };
    case KIND['evidence-key-withdrawal']:
      return { kind: 'evidence-key-withdrawal', withdrawal: readEvidenceKeyStatement(reader) };
    case KIND.successor:
      return { kind: 'successor', confirmation: readSuccessor(reader) };
    case KIND.refresh:
      return { kind: 'refresh', refreshed: readRefresh(reader) };
    case KIND.countersignature:
      return { kind: 'countersignature', statement: readCountersignature(reader) };
    case KIND.acknowledgement:
      return { kind: 'acknowledgement', statement: readAcknowledgement(reader) };
    case KIND.anchor:
      return { kind: 'anchor', statement: readAnchor(reader) };
    default:
      throw new RangeError(`unknown entry kind ${kind}`);
  }
}

function readEvidence(reader: ByteReader): SealedEvidence {
  const evidence = decodeSealedEvidence(reader.field());
  if (evidence.timestampMs > MAX_TIME_MS) throw new RangeError('a time out of range');
  return evidence;
}

function readEvidenceKeyStatement(
  reader: ByteReader,
): EvidenceKeyAttestation & EvidenceKeyWithdrawal {
  return {
    party: readParty(reader),
    evidenceKeyId: toHex(reader.fixed(KEY_ID_BYTES)),
    signature: reader.fixed(64),
  };
}

function readCountersignature(reader: ByteReader): Signed<Countersignature> {
  return {
    party: readParty(reader),
    seq: reader.u64(),
    hash: reader.fixed(32),
    at: readTime(reader),
    rules: reader.u32(),
    newestRules: reader.u32(),
    signature: reader.fixed(64),
  };
}

function readAcknowledgement(reader: ByteReader): Signed<Acknowledgement> {
  return {
    party: readParty(reader),
    seq: reader.u64(),
    hash: reader.fixed(32),
    signature: reader.fixed(64),
  };
}

function readAnchor(reader: ByteReader): Signed<Anchor> {
  const party = readParty(reader);
  const count = reader.u32();
  if (count > MAX_ANCHORED_CHAINS) throw new RangeError('too many chains');
  const chains = Array.from({ length: count }, () => ({
    chainId: reader.text(),
    seq: reader.u64(),
    hash: reader.fixed(32),
  }));
  return { party, chains, signature: reader.fixed(64) };
}

function readSuccessor(reader: ByteReader): Signed<SuccessorConfirmation> {
  return {
    party: readParty(reader),
    replaced: readParty(reader),
    identityPublicKey: reader.fixed(32),
    exchangePublicKey: reader.fixed(32),
    requestHash: reader.fixed(32),
    signature: reader.fixed(64),
  };
}

function readRefresh(reader: ByteReader): Signed<RefreshStatement> {
  const party = readParty(reader);
  const refresh = reader.u32();
  const count = reader.u32();
  if (count > MAX_REFRESHED_KEYS) throw new RangeError('too many keys');
  const keys = Array.from({ length: count }, () => {
    const [keyId, session] = [reader.text(), reader.text()];
    if (!UUID_PATTERN.test(keyId)) throw new RangeError('not an id of a key');
    if (!SESSION.test(session)) throw new RangeError('not a session');
    return { keyId, session, transcriptHash: reader.fixed(32) };
  });
  return { party, refresh, keys, signature: reader.fixed(64) };
}

function readTime(reader: ByteReader): number {
  const time = reader.u64();
  if (time > MAX_TIME_MS) throw new RangeError('a time out of range');
  return time;
}

function decodeAttestation(reader: ByteReader): KeyAttestation {
  return {
    party: readParty(reader),
    keyId: reader.text(),
    session: reader.text(),
    publicKey: reader.field(),
    transcriptHash: reader.fixed(32),
    signature: reader.fixed(64),
  };
}

function readParty(reader: ByteReader): PartyNumber {
  const party = reader.u8();
  if (party !== 1 && party !== 2 && party !== 3) throw new RangeError('unknown party');
  return party;
}

function header(kind: number, appendedAt: number): ByteWriter {
  return new ByteWriter().u8(kind).u64(appendedAt);
}
