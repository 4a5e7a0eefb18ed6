/**
 * A party's backup is signed by its identity key: a backup that somebody else made counts for nothing, as anybody may
 * know the public recovery keys. Its secrets stay sealed under the KEK. The box has what the KEK file
 * has: the KEK itself, or what opens it at its provider.
 */
import { ByteWriter, type Bytes } from '@countersign/core/bytes.js';
import { verifyEd25519 } from '@countersign/core/ed25519.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { z } from 'zod';

const DOMAIN = 'countersign party backup v1';

const hash = z.hex().length(64);
const shareSchema = z.strictObject({
  key_id: z.uuid(),
  session: z.string(),
  scheme: z.string(),
  version: z.int(),
  kek_id: z.string(),
  wrapped_dek: z.base64(),
  sealed: z.base64(),
  /** ms */
  created_at: z.int(),
});

const contentSchema = z.strictObject({
  party: z.literal(PARTY_NUMBERS),
  genesis_hash: hash,
  made_at: z.iso.datetime(),
  /** What the party had pinned of the ledger. */
  ledger_head: z.strictObject({ seq: z.int().positive(), hash }),
  /** The party's key folder, base64. */
  key_folder: z.strictObject({ kek: z.base64(), identity: z.base64(), exchange: z.base64() }),
  /** The file of evidence keys, as it is. */
  evidence_keys: z.string(),
  /** Rows of `party_N.key_share`. */
  shares: z.array(shareSchema),
});

const signedSchema = z.strictObject({ content: z.string(), signature: z.base64() });

export type PartyBackup = z.infer<typeof contentSchema>;
export type BackedUpShare = z.infer<typeof shareSchema>;

/** `sign`: signs with the party's identity key. */
export function encodeBackup(backup: PartyBackup, sign: (message: Bytes) => Uint8Array): Buffer {
  const content = JSON.stringify(backup);
  const signature = Buffer.from(sign(messageOf(content))).toString('base64');
  return Buffer.from(JSON.stringify({ content, signature }));
}

export interface ReadBackup {
  readonly backup: PartyBackup;
  /** `identity`: the party's raw Ed25519 public key in the ledger. Throws for what that party did not sign. */
  requireSigned(identity: Bytes): void;
}

/** Nobody vouches for the content before `requireSigned` has returned. */
export function decodeBackup(bytes: Bytes): ReadBackup {
  const { content, signature } = signedSchema.parse(JSON.parse(Buffer.from(bytes).toString()));
  const backup = contentSchema.parse(JSON.parse(content));
  return {
    backup,
    requireSigned(identity) {
      if (verifyEd25519(identity, messageOf(content), Buffer.from(signature, 'base64'))) return;
      throw new Error(`party ${backup.party} of this vault did not make this backup`);
    },
  };
}

function messageOf(content: string): Buffer {
  return new ByteWriter().field(DOMAIN).field(content).bytes();
}
