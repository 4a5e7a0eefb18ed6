/**
 * What a party signs when another party is replaced, and when keys get new shares. Each message begins with a text of
 * its own, and names the genesis, as every statement of a party does.
 */
import { ByteWriter, type Bytes } from './bytes.js';
import type { PartyNumber } from './parties.js';

/** A party's operator has compared the new keys of another party, and agrees to them. */
export interface SuccessorConfirmation {
  /** Who says so. */
  readonly party: PartyNumber;
  /** The party that gets other keys. */
  readonly replaced: PartyNumber;
  /** Ed25519, 32 bytes. */
  readonly identityPublicKey: Bytes;
  /** X25519, 32 bytes. */
  readonly exchangePublicKey: Bytes;
  /** Hash of the ledger entry that asked for it, 32 bytes: an older confirmation does not count for a later request. */
  readonly requestHash: Bytes;
}

/** A party holds new shares of keys, and keeps them. */
export interface RefreshStatement {
  readonly party: PartyNumber;
  /** Which refresh: see the state's `refresh`. */
  readonly refresh: number;
  readonly keys: readonly RefreshedKey[];
}

export interface RefreshedKey {
  /** UUID. */
  readonly keyId: string;
  /** Names the run that made the shares: 16 bytes, hex. */
  readonly session: string;
  /** SHA-256 over the public transcript of the run, 32 bytes. */
  readonly transcriptHash: Bytes;
}

/** `genesisHash`: hex, here and below. */
export function successorMessage(fact: SuccessorConfirmation, genesisHash: string): Buffer {
  return new ByteWriter()
    .field('countersign successor confirmation v1')
    .field(genesisHash)
    .u8(fact.party)
    .u8(fact.replaced)
    .fixed(fact.identityPublicKey)
    .fixed(fact.exchangePublicKey)
    .fixed(fact.requestHash)
    .bytes();
}

export function refreshMessage(
  { party, refresh, keys }: RefreshStatement,
  genesisHash: string,
): Buffer {
  const writer = new ByteWriter()
    .field('countersign share refresh v1')
    .field(genesisHash)
    .u8(party)
    .u32(refresh)
    .u32(keys.length);
  for (const { keyId, session, transcriptHash } of keys) {
    writer.field(keyId).field(session).fixed(transcriptHash);
  }
  return writer.bytes();
}
