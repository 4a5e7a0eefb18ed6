/**
 * A party signs once for a whole batch: the root of a Merkle tree (RFC 9162) over its statements about the batch's
 * requests. A leaf with its inclusion path and that signature is as good as a signature of its own.
 */
import { BoundedMap } from '@countersign/core/bounded-map.js';
import { ByteReader, ByteWriter, type Bytes } from '@countersign/core/bytes.js';
import { verifyEd25519 } from '@countersign/core/ed25519.js';
import { leafHash, merkleTree, rootOfPath } from '@countersign/core/merkle-tree.js';
import type { PartyIdentity, PartyNumber } from '@countersign/core/parties.js';

/** A leaf's place in a tree, and the party's signature of the tree. */
export interface TreeProof {
  /** From 0. */
  readonly index: number;
  /** Number of leaves in the tree. */
  readonly size: number;
  /** From the leaf up; 32 bytes each. */
  readonly path: readonly Bytes[];
  /** 64 bytes, over {@link treeMessage}. */
  readonly signature: Bytes;
}

/** The message for the identity key. `genesisHash` (hex) ties it to one deployment; `root`: 32 bytes. */
export function treeMessage(
  party: PartyNumber,
  { size, root }: { readonly size: number; readonly root: Bytes },
  genesisHash: string,
): Buffer {
  return new ByteWriter()
    .field('countersign receipt tree v1')
    .field(genesisHash)
    .u8(party)
    .u32(size)
    .fixed(root)
    .bytes();
}

export interface ReceiptTree {
  /** The message that the tree's party must sign. */
  readonly message: Buffer;
  proofOf(index: number, signature: Bytes): TreeProof;
}

/** `leaves`: at least one. Throws RangeError. */
export function plantTree(
  party: PartyNumber,
  leaves: readonly Bytes[],
  genesisHash: string,
): ReceiptTree {
  const { root, paths } = merkleTree(leaves.map(leafHash));
  const size = leaves.length;
  return {
    message: treeMessage(party, { size, root }, genesisHash),
    proofOf(index, signature) {
      const path = paths[index];
      if (path === undefined) throw new RangeError('no such leaf');
      return { index, size, path, signature };
    },
  };
}

/** When something was signed, as far as the signer alone could not choose it. */
export interface SignedWhen {
  /** Over which head of the ledger, where the message names one. */
  readonly seq?: number;
  /** When its caller asked for it, by that caller's own signature; ms. */
  readonly askedAt?: number;
}

/**
 * Whether a party signed a message. The keys of a party that was replaced count only for what is known to be of a time
 * before that: with neither head nor time, for nothing.
 */
export type VerifyParty = (
  party: PartyNumber,
  message: Bytes,
  signature: Bytes,
  when?: SignedWhen,
) => boolean;

/** A key by which a party is known. With `until` it was the party's before that place in the ledger alone. */
export type KnownIdentity = Pick<PartyIdentity, 'party' | 'identityPublicKey'> & {
  readonly until?: number;
  /** The time of that place, ms; absent where a verifier has pinned the place alone. */
  readonly replacedAt?: number;
};

/** Receipts come in the order in which their batches were signed, so few trees are in use at once. */
const REMEMBERED = 1_024;

/**
 * @param parties as the verifier pinned them, with the keys that they had before they were replaced
 * @param remembered how many good signatures are kept in mind, since many receipts share one; about 400 bytes each
 */
export function createVerifyParty(
  parties: readonly KnownIdentity[],
  remembered = REMEMBERED,
): VerifyParty {
  const keys = parties.map((identity) => ({
    identity,
    key: Buffer.from(identity.identityPublicKey, 'base64'),
  }));
  /** Whose key made each good signature. */
  const good = new BoundedMap<string, KnownIdentity>(remembered);
  return (party, message, signature, when = {}) => {
    if (signature.length !== 64) return false;
    const name = Buffer.concat([Buffer.of(party), signature, message]).toString('latin1');
    const by =
      good.get(name) ??
      keys.find(
        ({ identity, key }) => identity.party === party && verifyEd25519(key, message, signature),
      )?.identity;
    if (by === undefined) return false;
    good.put(name, by);
    return counts(by, when);
  };
}

function counts({ until, replacedAt }: KnownIdentity, { seq, askedAt }: SignedWhen): boolean {
  if (until === undefined) return true;
  if (seq !== undefined) return seq < until;
  return askedAt !== undefined && replacedAt !== undefined && askedAt < replacedAt;
}

/** As {@link createVerifyParty}, by whichever parties there are: it begins anew when they change. */
export function verifyPartiesOf(present: () => readonly KnownIdentity[]): VerifyParty {
  let known: ReturnType<typeof present> | undefined;
  let verify: VerifyParty | undefined;
  return (...asked) => {
    const now = present();
    if (verify === undefined || now !== known) [known, verify] = [now, createVerifyParty(now)];
    return verify(...asked);
  };
}

interface LeafTrust extends SignedWhen {
  /** Hex. */
  readonly genesisHash: string;
  readonly verifyParty: VerifyParty;
}

/** Whether the party signed a tree that has this leaf in this place. */
export function holdsLeaf(
  leaf: Bytes,
  proof: TreeProof,
  party: PartyNumber,
  { genesisHash, verifyParty, ...when }: LeafTrust,
): boolean {
  const root = rootOfPath(leafHash(leaf), proof);
  if (root === undefined) return false;
  const message = treeMessage(party, { size: proof.size, root }, genesisHash);
  return verifyParty(party, message, proof.signature, when);
}

/** index u32 ‖ size u32 ‖ hashes u8 ‖ 32 bytes each ‖ signature 64. */
export function writeProof(writer: ByteWriter, proof: TreeProof): ByteWriter {
  writer.u32(proof.index).u32(proof.size).u8(proof.path.length);
  for (const hash of proof.path) writer.fixed(hash);
  return writer.fixed(proof.signature);
}

/** Throws RangeError. */
export function readProof(reader: ByteReader): TreeProof {
  const [index, size] = [reader.u32(), reader.u32()];
  const path = Array.from({ length: reader.u8() }, () => reader.fixed(32));
  return { index, size, path, signature: reader.fixed(64) };
}
