/** Who made a snapshot of a fold, and how a node tells its own from what somebody else put in its place. */
import { ByteWriter, type Bytes } from '@countersign/core/bytes.js';
import {
  EvidenceSealError,
  UnknownEvidenceKeyError,
  type EvidenceKeys,
} from '@countersign/core/evidence-seal.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { type LedgerHead } from '@countersign/core/party-statements.js';
import type { EntryRow } from '@countersign/vault/ledger/entry.js';
import { isSnapshotSigned, snapshotMessage } from '@countersign/vault/snapshots/snapshot-proof.js';

/** An author's statement about a text. */
export interface SnapshotStatement extends LedgerHead {
  /** Hex. */
  readonly genesisHash: string;
  /** SHA-256 of the text, 32 bytes. */
  readonly digest: Bytes;
}

export interface SnapshotAuthor {
  /** Its name in the file. */
  readonly name: string;
  /** The bytes that a proof of the statement is made over. */
  messageOf(statement: SnapshotStatement): Buffer;
  /** Whether it made this proof. `genesis`: the first row, as a database gives it. */
  isProof(statement: SnapshotStatement, proof: Bytes, genesis: EntryRow): boolean;
}

/** Its proofs are signatures by the party's identity key, which the genesis names. */
export function partyAuthor(party: PartyNumber): SnapshotAuthor {
  return {
    name: `party ${party}`,
    messageOf: (statement) => snapshotMessage({ ...statement, party }, statement.genesisHash),
    isProof: (statement, proof, genesis) =>
      isSnapshotSigned({ ...statement, party }, proof, genesis, statement.genesisHash),
  };
}

/** An author that makes proofs itself. */
export interface SealingAuthor extends SnapshotAuthor {
  prove(message: Bytes): Promise<Uint8Array>;
}

/**
 * A node without a key of its own proves by seals of nothing under the evidence key in its file, bound to the message.
 * A seal under a key that no longer seals is no proof, so whoever has such a key cannot make a state.
 */
export function sealingAuthor(name: string, keys: EvidenceKeys): SealingAuthor {
  const nothing = Buffer.alloc(0);
  const messageOf = ({ genesisHash, seq, hash, digest }: SnapshotStatement) =>
    new ByteWriter()
      .field('countersign sealed ledger snapshot v1')
      .field(name)
      .field(genesisHash)
      .u64(seq)
      .fixed(hash)
      .fixed(digest)
      .bytes();
  return {
    name,
    messageOf,
    isProof: (statement, proof) => isSealedBy(keys, proof, messageOf(statement)),
    prove: async (message) => keys.seal(nothing, message),
  };
}

function isSealedBy(keys: EvidenceKeys, seal: Bytes, message: Buffer): boolean {
  try {
    const [current] = keys.ids;
    return keys.declaredIdOf(seal) === current && keys.open(seal, message).length === 0;
  } catch (error) {
    if (error instanceof EvidenceSealError || error instanceof UnknownEvidenceKeyError)
      return false;
    throw error;
  }
}
