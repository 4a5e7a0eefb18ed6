import { ByteWriter, type Bytes } from './bytes.js';
import type { PartyNumber } from './parties.js';

/** A key to which a client may seal one party's part of an import, until it expires. */
export interface ImportRecipient {
  readonly party: PartyNumber;
  /** UUID, chosen by the party. */
  readonly recipientId: string;
  /** X25519, 32 bytes. */
  readonly publicKey: Bytes;
  /** ms since the Unix epoch. */
  readonly expiresAt: number;
}

/**
 * What a party signs with its identity key to vouch for a recipient. Without it the gateway, which hands recipients
 * out, could replace a party's key by its own and read what is sealed to it. `genesisHash` (hex): a recipient of one
 * vault means nothing to another.
 */
export function recipientMessage(recipient: ImportRecipient, genesisHash: string): Buffer {
  return new ByteWriter()
    .field('countersign import recipient v1')
    .field(genesisHash)
    .u8(recipient.party)
    .field(recipient.recipientId)
    .fixed(recipient.publicKey)
    .u64(recipient.expiresAt)
    .bytes();
}
