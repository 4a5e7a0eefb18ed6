/**
 * Ledger entries: a few kinds of body, one hash chain.
 *
 * body = kind u8 ‖ appended_at u64 (ms) ‖ content
 * hash: see `entryHash`; the first previous hash is zero.
 *
 * `appended_at` is what the appender's clock showed: a note for people, by which nothing is judged.
 * `write-entry.ts` writes them.
 */
import * as s from '@countersign/core/shapes.js';
import { ByteReader, parseBase64, type Bytes } from '@countersign/core/bytes.js';
import { EVIDENCE_ENTRY } from '@countersign/core/entry-hash.js';
import { UUID_PATTERN } from '@countersign/core/hash.js';
import { decodeSealedEvidence, type SealedEvidence } from '@countersign/core/evidence.js';
import { EVIDENCE_KEY, KEY_ID_BYTES } from '@countersign/core/evidence-seal.js';
import { IMPORT_RECIPIENT } from '@countersign/core/import-recipient.js';
import { ADMIN_POLICY_TYPES } from '@countersign/api/requests/admin-policy-types.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import {
  ACKNOWLEDGEMENT,
  ANCHOR,
  COUNTERSIGNATURE,
  REFRESH,
  SUCCESSOR,
} from '@countersign/core/party-statements.js';
import * as r from '@countersign/core/records.js';

export interface EntryRow {
  readonly seq: number;
  readonly prevHash: Bytes;
  readonly hash: Bytes;
  readonly body: Bytes;
}

export const GENESIS_PREV_HASH = Buffer.alloc(32);

/** Room for a request of the largest size that the API takes, with what evidence adds. A larger entry is unreadable. */
export const MAX_ENTRY_BYTES = 300 * 1024;

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

const KEY_ATTESTATION = {
  party: r.party,
  keyId: r.text,
  /** Names one run of the ceremony. */
  session: r.text,
  /** As in the state's `Key.publicKey`. */
  publicKey: r.bytes,
  /** SHA-256 over the public transcript of the ceremony. */
  transcriptHash: r.fixed(32),
};

const KEY_REFUSAL = {
  party: r.party,
  keyId: r.text,
  /** Public text. */
  reason: r.text,
};

export const GENESIS_ENTRY = 1;

/** The statements of parties: the first byte of the entry, and its fields. */
export const STATEMENTS = {
  attestation: { code: 3, layout: KEY_ATTESTATION },
  'key-refusal': { code: 4, layout: KEY_REFUSAL },
  recipient: { code: 5, layout: IMPORT_RECIPIENT },
  'evidence-key': { code: 6, layout: EVIDENCE_KEY },
  countersignature: { code: 7, layout: COUNTERSIGNATURE },
  acknowledgement: { code: 8, layout: ACKNOWLEDGEMENT },
  anchor: { code: 9, layout: ANCHOR },
  'evidence-key-withdrawal': { code: 10, layout: EVIDENCE_KEY },
  successor: { code: 11, layout: SUCCESSOR },
  refresh: { code: 12, layout: REFRESH },
} as const;

export type StatementKind = keyof typeof STATEMENTS;

/** A party's statement, with its Ed25519 signature (64 bytes) over the statement's message. */
export type StatementOf<Kind extends StatementKind> = r.Recorded<
  (typeof STATEMENTS)[Kind]['layout']
> & { readonly signature: Bytes };

type StatementContents = {
  [Kind in StatementKind]: { readonly kind: Kind; readonly statement: StatementOf<Kind> };
};

export type EntryContent =
  | { readonly kind: 'genesis'; readonly genesis: Genesis }
  | { readonly kind: 'evidence'; readonly evidence: SealedEvidence }
  | StatementContents[StatementKind];

export interface EntryBody {
  readonly appendedAt: number;
  readonly content: EntryContent;
}

/** Throws on a body that is none of these kinds, or too large: such an entry is refused by the fold. */
export function decodeEntryBody(bytes: Bytes): EntryBody {
  if (bytes.length > MAX_ENTRY_BYTES) throw new RangeError('the entry is too large');
  const reader = new ByteReader(bytes);
  const code = reader.u8();
  const appendedAt = r.readTime(reader);
  const content = decodeContent(code, reader);
  reader.end();
  return { appendedAt, content };
}

function decodeContent(code: number, reader: ByteReader): EntryContent {
  if (code === GENESIS_ENTRY) {
    return { kind: 'genesis', genesis: genesisSchema.parse(JSON.parse(reader.text())) };
  }
  if (code === EVIDENCE_ENTRY) return { kind: 'evidence', evidence: readEvidence(reader) };
  const [kind, found] = Object.entries(STATEMENTS).find(([, one]) => one.code === code) ?? [];
  if (found === undefined) throw new RangeError(`unknown entry kind ${code}`);
  const record = r.readRecord<r.Layout>(reader, found.layout);
  return { kind, statement: { ...record, signature: reader.fixed(64) } } as unknown as EntryContent;
}

function readEvidence(reader: ByteReader): SealedEvidence {
  const evidence = decodeSealedEvidence(reader.field());
  if (evidence.timestampMs > r.MAX_TIME_MS) throw new RangeError('a time out of range');
  return evidence;
}
