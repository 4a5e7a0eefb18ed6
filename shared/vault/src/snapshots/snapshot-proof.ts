/** Checks who signed a snapshot, with the genesis alone, whose hash an operator named. */
import { toHex, type Bytes } from '@countersign/core/bytes.js';
import { entryHash } from '@countersign/core/key-birth.js';
import { snapshotMessage, type LedgerSnapshot } from '@countersign/core/party-statements.js';
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
