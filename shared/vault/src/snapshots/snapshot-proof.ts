/** Checks who signed a snapshot, with the genesis alone, whose hash an operator named. */
import { ByteWriter, toHex, type Bytes } from '@countersign/core/bytes.js';
import { entryHash } from '@countersign/core/entry-hash.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { LedgerHead } from '@countersign/core/party-statements.js';
import { decodeEntryBody, type EntryRow } from '../ledger/entry.js';
import { partiesOf } from '../ledger/genesis-state.js';
import { isSignedByParty } from '../ledger/party-statement.js';

/** `genesis`: the first row, as a database gives it; `genesisHash`: hex, as the operator gave it. */
export function isSnapshotSigned(
  snapshot: LedgerSnapshot,
  signature: Bytes,
  genesis: EntryRow,
  genesisHash: string,
): boolean {
  const { seq, prevHash, body } = genesis;
  if (seq !== 1 || toHex(entryHash(seq, prevHash, body)) !== genesisHash) return false;
  const { content } = decodeEntryBody(body);
  if (content.kind !== 'genesis') return false;
  const message = snapshotMessage(snapshot, genesisHash);
  return isSignedByParty(partiesOf(content.genesis), snapshot.party, message, signature);
}

/** A party's fold at a head that it has pinned, written down for its own next start. */
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
