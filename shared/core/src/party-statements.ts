/**
 * What a party signs with its identity key about the ledger itself. Every statement names the genesis, so that
 * none of them means anything in another vault, and begins with a text of its own, so that no statement can be
 * taken for another.
 */
import { ByteWriter, type Bytes } from './bytes.js';
import type { PartyNumber } from './parties.js';

/** A place in the ledger: an entry, and with its hash all that lies before it. */
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
  /** The version of the rules by which the party wants to have judged what the head covers. */
  readonly rules: number;
  /** The newest version that the party's release has. */
  readonly newestRules: number;
}

/** A party's statement that from now on nothing leaves it which was decided without what the head contains. */
export interface Acknowledgement extends LedgerHead {
  readonly party: PartyNumber;
}

/** Where one of a party's chains of records stands. */
export interface ChainHead {
  readonly chainId: string;
  readonly seq: number;
  /** 32 bytes. */
  readonly hash: Bytes;
}

/** A party's statement that its chains of records have come this far: what is there may not change any more. */
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

/** What a party's fold came to at a head that it has pinned, as it wrote that down for its own next start. */
export interface LedgerSnapshot extends LedgerHead {
  readonly party: PartyNumber;
  /** SHA-256 of the text, 32 bytes. */
  readonly digest: Bytes;
}

export function snapshotMessage(snapshot: LedgerSnapshot, genesisHash: string): Buffer {
  return new ByteWriter()
    .field('countersign ledger snapshot v1')
    .field(genesisHash)
    .u8(snapshot.party)
    .u64(snapshot.seq)
    .fixed(snapshot.hash)
    .fixed(snapshot.digest)
    .bytes();
}
