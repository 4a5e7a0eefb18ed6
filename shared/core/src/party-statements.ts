/**
 * A party's statements about the ledger itself, signed with its identity key. Every statement names the genesis, so
 * that it means nothing in another vault. Each kind begins with a text of its own, so that none can be taken for
 * another.
 */
import { ByteWriter, type Bytes } from './bytes.js';
import type { PartyNumber } from './parties.js';

/** A place in the ledger: an entry and, by its hash, everything before it. */
export interface LedgerHead {
  readonly seq: number;
  /** 32 bytes. */
  readonly hash: Bytes;
}

/** A party's statement that it has pinned the ledger up to a head, and when that was. */
export interface Countersignature extends LedgerHead {
  readonly party: PartyNumber;
  /** The party's own clock, ms. */
  readonly at: number;
  /** The version of the rules by which the party wants the entries under the head to be judged. */
  readonly rules: number;
  /** The newest version that the party's release has. */
  readonly newestRules: number;
}

/** A party's statement that from now on nothing leaves it that was decided without the head's content. */
export interface Acknowledgement extends LedgerHead {
  readonly party: PartyNumber;
}

/** The last record of one of a party's chains. */
export interface ChainHead {
  readonly chainId: string;
  readonly seq: number;
  /** 32 bytes. */
  readonly hash: Bytes;
}

/** A party's statement that its chains of records have come this far: records up to there may never change. */
export interface Anchor {
  readonly party: PartyNumber;
  readonly chains: readonly ChainHead[];
}

/** `genesisHash`: hex, here and below. */
export function countersignatureMessage(statement: Countersignature, genesisHash: string): Buffer {
  return new ByteWriter()
    .field('countersign countersignature v1')
    .field(genesisHash)
    .u8(statement.party)
    .u64(statement.seq)
    .fixed(statement.hash)
    .u64(statement.at)
    .u32(statement.rules)
    .u32(statement.newestRules)
    .bytes();
}

export function acknowledgementMessage(statement: Acknowledgement, genesisHash: string): Buffer {
  return new ByteWriter()
    .field('countersign acknowledgement v1')
    .field(genesisHash)
    .u8(statement.party)
    .u64(statement.seq)
    .fixed(statement.hash)
    .bytes();
}

export function anchorMessage({ party, chains }: Anchor, genesisHash: string): Buffer {
  const writer = new ByteWriter()
    .field('countersign anchor v1')
    .field(genesisHash)
    .u8(party)
    .u32(chains.length);
  for (const { chainId, seq, hash } of chains) writer.field(chainId).u64(seq).fixed(hash);
  return writer.bytes();
}
