import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toHex, type Bytes } from './bytes.js';
import { leafHash, merkleTree, rootOfPath } from './merkle-tree.js';

/**
 * The leaves, roots and inclusion paths of the Certificate Transparency reference code, as
 * github.com/transparency-dev/merkle has them (proof/verify_test.go): RFC 6962 and RFC 9162 hash alike.
 */
const CT_LEAVES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map((hex) => leafHash(Buffer.from(hex, 'hex')));
const CT_ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
const CT_PATHS: [index: number, size: number, path: string[]][] = [
  [0, 1, []],
  [
    0,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    5,
    8,
    [
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [2, 3, ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125']],
  [
    1,
    5,
    [
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
];

const SIZES = Array.from({ length: 70 }, (_, index) => index + 1);
const LEAVES = SIZES.map((size) => leafHash(Buffer.from(`leaf ${size}`)));
/** Small ones, and those around a power of two. */
const SOME_SIZES = [...SIZES.slice(0, 17), 31, 32, 33, 64, 65];
/** By size. */
const treeRoot = (leaves: readonly Bytes[]) => merkleTree(leaves).root;
const inclusionPath = (leaves: readonly Bytes[], index: number) => [
  ...merkleTree(leaves).paths[index]!,
];

const ROOTS = [undefined, ...SIZES.map((size) => treeRoot(LEAVES.slice(0, size)))];

function nodeHash(left: Bytes, right: Bytes): Buffer {
  return createHash('sha256').update('\u0001').update(left).update(right).digest();
}

/** The tree in another way than the RFC tells it: level by level, a node without a neighbour going up as it is. */
function levelsOf(leaves: readonly Bytes[]): Bytes[][] {
  const levels = [[...leaves]];
  for (let level = levels[0]!; level.length > 1; level = levels.at(-1)!) {
    const above: Bytes[] = [];
    for (let at = 0; at < level.length; at += 2) {
      const [left, right] = [level[at]!, level[at + 1]];
      above.push(right === undefined ? left : nodeHash(left, right));
    }
    levels.push(above);
  }
  return levels;
}

function pathByLevels(leaves: readonly Bytes[], index: number): Bytes[] {
  return levelsOf(leaves).flatMap((level, height) => level[(index >> height) ^ 1] ?? []);
}

describe('the hash of a tree', () => {
  it('is that of the Certificate Transparency reference trees', () => {
    const roots = CT_ROOTS.map((_, index) => toHex(treeRoot(CT_LEAVES.slice(0, index + 1))));
    expect(roots).toEqual(CT_ROOTS);
  });

  it('is that of the levels, for every size to 70', () => {
    for (const size of SIZES) {
      const leaves = LEAVES.slice(0, size);
      expect(toHex(treeRoot(leaves))).toBe(toHex(levelsOf(leaves).at(-1)![0]!));
    }
  });

  it('takes no node for a leaf, and no tree for its leaf', () => {
    const [left, right] = [LEAVES[0]!, LEAVES[1]!];
    expect(leafHash(Buffer.concat([left, right]))).not.toEqual(treeRoot([left, right]));
    expect(toHex(leafHash(Buffer.alloc(0)))).toBe(
      createHash('sha256').update(Buffer.of(0)).digest('hex'),
    );
  });

  it('is not there without a leaf', () => {
    expect(() => treeRoot([])).toThrow(RangeError);
  });
});

describe('an inclusion path', () => {
  it.each(CT_PATHS)('of leaf %i among %i is that of the reference code', (index, size, path) => {
    const leaves = CT_LEAVES.slice(0, size);
    expect(inclusionPath(leaves, index).map(toHex)).toEqual(path);
    const given = path.map((hash) => Buffer.from(hash, 'hex'));
    const root = rootOfPath(leaves[index]!, { index, size, path: given });
    expect(toHex(root!)).toBe(CT_ROOTS[size - 1]);
  });

  it('is that of the levels and leads to the root, for every leaf of every size to 70', () => {
    for (const size of SIZES) {
      const leaves = LEAVES.slice(0, size);
      const root = toHex(treeRoot(leaves));
      for (let index = 0; index < size; index++) {
        const path = inclusionPath(leaves, index);
        expect(path.map(toHex)).toEqual(pathByLevels(leaves, index).map(toHex));
        expect(toHex(rootOfPath(leaves[index]!, { index, size, path })!)).toBe(root);
      }
    }
  });
});

/** Whether they lead to the root of the first `size` leaves. */
function leadsToRoot(
  leaf: Bytes,
  size: number,
  proof: { readonly index: number; readonly path: readonly Bytes[] },
): boolean {
  const root = rootOfPath(leaf, { ...proof, size });
  return root !== undefined && Buffer.compare(root, ROOTS[size]!) === 0;
}

describe('nothing else leads to the root', () => {
  const place = fc
    .integer({ min: 1, max: 70 })
    .chain((size) => fc.record({ size: fc.constant(size), index: fc.nat({ max: size - 1 }) }));
  const proofOf = (size: number, index: number) => ({
    index,
    path: inclusionPath(LEAVES.slice(0, size), index),
  });

  it('no other index, of every leaf', () => {
    for (const size of SOME_SIZES) {
      for (let index = 0; index < size; index++) {
        const { path } = proofOf(size, index);
        const others = Array.from({ length: size + 2 }, (_, at) => at - 1).filter((other) =>
          leadsToRoot(LEAVES[index]!, size, { index: other, path }),
        );
        expect(others).toEqual([index]);
      }
    }
  });

  it('no path that lacks a hash, has one more, or has two in the other order', () => {
    for (const size of SOME_SIZES) {
      for (let index = 0; index < size; index++) {
        const { path } = proofOf(size, index);
        const leaf = LEAVES[index]!;
        for (let at = 0; at <= path.length; at++) {
          const wrong = [
            path.toSpliced(at, 0, leaf),
            path.toSpliced(at, 0, ROOTS[size]!),
            path.toSpliced(at, 0, path[at] ?? leaf),
            ...(at < path.length ? [path.toSpliced(at, 1)] : []),
            ...(at + 1 < path.length ? [path.toSpliced(at, 2, path[at + 1]!, path[at]!)] : []),
          ];
          for (const other of wrong) {
            expect(leadsToRoot(leaf, size, { index, path: other })).toBe(false);
          }
        }
      }
    }
  });

  it('no leaf and no path with a bit changed', () => {
    fc.assert(
      fc.property(place, fc.nat(), fc.nat({ max: 255 }), ({ size, index }, which, bit) => {
        const { path } = proofOf(size, index);
        const hashes = [LEAVES[index]!, ...path].map((hash) => Buffer.from(hash));
        hashes[which % hashes.length]![bit >> 3]! ^= 1 << (bit & 7);
        const [leaf, ...changed] = hashes;
        expect(leadsToRoot(leaf!, size, { index, path: changed })).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it('no node that is taken for a leaf of a smaller tree, at its own size', () => {
    const leaves = LEAVES.slice(0, 4);
    const node = treeRoot(leaves.slice(0, 2));
    const path = [treeRoot(leaves.slice(2))];
    expect(leadsToRoot(node, 4, { index: 0, path })).toBe(false);
  });

  it('nothing without sense: sizes and places that no tree has', () => {
    const path = [randomBytes(32)];
    for (const [index, size] of [
      [0, 0],
      [1, 1],
      [-1, 2],
      [2, 2],
      [0, -1],
      [NaN, 2],
      [0, NaN],
      [0, Infinity],
      [0.5, 2 ** 53],
    ] as const) {
      expect(rootOfPath(LEAVES[0]!, { index, size, path })).toBeUndefined();
    }
  });
});
