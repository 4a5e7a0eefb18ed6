/** Merkle trees over SHA-256 as RFC 9162, section 2.1, hashes and proves them. Hashes are 32 bytes. */
import type { Bytes } from './bytes.js';
import { sha256 } from './hash.js';

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/** Section 2.1.1: a leaf cannot be taken for an inner node. */
export function leafHash(leaf: Bytes): Buffer {
  return sha256(Buffer.concat([LEAF, leaf]));
}

function nodeHash(left: Bytes, right: Bytes): Buffer {
  return sha256(Buffer.concat([NODE, left, right]));
}

export interface MerkleTree {
  /** The tree's hash (MTH), section 2.1.1. */
  readonly root: Bytes;
  /** Section 2.1.3.1: the inclusion path of each leaf, from the leaf up. */
  readonly paths: readonly (readonly Bytes[])[];
}

/** Takes the hashes of its leaves, at least one; each node is hashed once. Throws RangeError. */
export function merkleTree(leaves: readonly Bytes[]): MerkleTree {
  if (leaves.length === 0) throw new RangeError('a tree without leaves');
  const paths = leaves.map((): Bytes[] => []);

  function grow(from: number, to: number): Bytes {
    if (to - from === 1) return leaves[from]!;
    const split = from + splitOf(to - from);
    const [left, right] = [grow(from, split), grow(split, to)];
    for (let index = from; index < to; index++) paths[index]!.push(index < split ? right : left);
    return nodeHash(left, right);
  }

  return { root: grow(0, leaves.length), paths };
}

/** Section 2.1.3.2: the root that the path leads to; undefined if no tree of that size has such a path. */
export function rootOfPath(
  leaf: Bytes,
  {
    index,
    size,
    path,
  }: { readonly index: number; readonly size: number; readonly path: readonly Bytes[] },
): Bytes | undefined {
  if (!(index >= 0 && index < size)) return undefined;
  let [node, last, root] = [index, size - 1, leaf];
  for (const beside of path) {
    if (last === 0) return undefined;
    if (node % 2 === 1 || node === last) {
      root = nodeHash(beside, root);
      // a node without a right neighbour is its own parent, as long as it is a left one
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else {
      root = nodeHash(root, beside);
    }
    [node, last] = [half(node), half(last)];
  }
  return last === 0 ? root : undefined;
}

function half(value: number): number {
  return Math.floor(value / 2);
}

/** The largest power of two below `size`, which is at least 2. */
function splitOf(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}
