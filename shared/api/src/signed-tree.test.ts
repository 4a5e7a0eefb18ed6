import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ByteReader, ByteWriter, toBase64, toHex } from '@countersign/core/bytes.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import {
  createVerifyParty,
  holdsLeaf,
  plantTree,
  readProof,
  treeMessage,
  writeProof,
  type TreeProof,
} from './signed-tree.js';

const keys = PARTY_NUMBERS.map(() => generateKeyPairSync('ed25519'));
const parties = PARTY_NUMBERS.map((party, index) => ({
  party,
  identityPublicKey: toBase64(
    Buffer.from(keys[index]!.publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'),
  ),
}));
const genesisHash = 'ab'.repeat(32);
const elsewhere = 'cd'.repeat(32);
const trust = { genesisHash, verifyParty: createVerifyParty(parties) };

function signAs(party: PartyNumber, message: Buffer): Buffer {
  return sign(null, message, keys[party - 1]!.privateKey);
}

function leavesOf(size: number): Buffer[] {
  return Array.from({ length: size }, (_, index) => Buffer.from(`leaf ${index} of ${size}`));
}

/** One proof for each leaf. */
function provenBy(party: PartyNumber, leaves: readonly Buffer[], genesis = genesisHash) {
  const tree = plantTree(party, leaves, genesis);
  const signature = signAs(party, tree.message);
  return leaves.map((_, index) => tree.proofOf(index, signature));
}

const SIZES = [1, 2, 3, 7, 30, 64];

describe('what a party signs of a tree', () => {
  it('is these bytes', () => {
    const message = treeMessage(3, { size: 258, root: Buffer.alloc(32, 0xee) }, genesisHash);
    expect(toHex(message)).toBe(
      '1b000000' +
        toHex(Buffer.from('countersign receipt tree v1')) +
        '40000000' +
        toHex(Buffer.from(genesisHash)) +
        '03' +
        '02010000' +
        'ee'.repeat(32),
    );
  });

  it('is different for another party, size, root and deployment', () => {
    const root = randomBytes(32);
    const messages = [
      treeMessage(1, { size: 5, root }, genesisHash),
      treeMessage(2, { size: 5, root }, genesisHash),
      treeMessage(1, { size: 6, root }, genesisHash),
      treeMessage(1, { size: 5, root: randomBytes(32) }, genesisHash),
      treeMessage(1, { size: 5, root }, elsewhere),
    ];
    expect(new Set(messages.map(toHex)).size).toBe(messages.length);
  });

  it('is none for no leaf', () => {
    expect(() => plantTree(1, [], genesisHash)).toThrow(RangeError);
    const tree = plantTree(1, [Buffer.from('a leaf')], genesisHash);
    for (const index of [-1, 1, NaN]) {
      expect(() => tree.proofOf(index, new Uint8Array(64))).toThrow(RangeError);
    }
  });
});

describe.each(SIZES)('a tree of %i', (size) => {
  const leaves = leavesOf(size);
  const proofs = provenBy(2, leaves);

  it('holds each of its leaves, in its own place alone', () => {
    for (const [index, leaf] of leaves.entries()) {
      const places = proofs.map((proof) => holdsLeaf(leaf, proof, 2, trust));
      expect(places).toEqual(leaves.map((_, place) => place === index));
    }
  });

  it('holds no leaf at another index, nor in a tree of another size', () => {
    const [leaf, proof] = [leaves.at(-1)!, proofs.at(-1)!];
    const holds = (change: Partial<TreeProof>) =>
      holdsLeaf(leaf, { ...proof, ...change }, 2, trust);
    for (let other = -1; other <= 70; other++) {
      expect(holds({ index: other })).toBe(other === size - 1);
      // the root alone does not say it: a path may fit trees of two sizes, so the size is signed too
      expect(holds({ size: other })).toBe(other === size);
    }
  });

  it('holds nothing for another party, nor in another deployment', () => {
    for (const party of [1, 3] as const) {
      expect(holdsLeaf(leaves[0]!, proofs[0]!, party, trust)).toBe(false);
    }
    const there = { ...trust, genesisHash: elsewhere };
    expect(holdsLeaf(leaves[0]!, proofs[0]!, 2, there)).toBe(false);
    const [fromThere] = provenBy(2, leaves, elsewhere);
    expect(holdsLeaf(leaves[0]!, fromThere!, 2, trust)).toBe(false);
    expect(holdsLeaf(leaves[0]!, fromThere!, 2, there)).toBe(true);
  });

  it('holds nothing by a path or a signature that was changed', () => {
    const [leaf, proof] = [leaves[0]!, proofs[0]!];
    const wrong: Partial<TreeProof>[] = [
      { path: [...proof.path, randomBytes(32)] },
      { path: [randomBytes(32), ...proof.path] },
      { path: proof.path.map(() => randomBytes(32)).concat(size === 1 ? [randomBytes(32)] : []) },
      { path: size === 1 ? [leaf] : proof.path.slice(1) },
      { signature: randomBytes(64) },
      { signature: proof.signature.subarray(1) },
      { signature: Buffer.concat([proof.signature, Buffer.alloc(1)]) },
      { signature: new Uint8Array() },
    ];
    for (const change of wrong) {
      expect(holdsLeaf(leaf, { ...proof, ...change }, 2, trust)).toBe(false);
    }
    expect(holdsLeaf(leaf, proof, 2, trust)).toBe(true);
  });
});

it('a tree whose size was signed wrong does not make a path fit', () => {
  const leaves = leavesOf(3);
  const [proof] = provenBy(1, leaves);
  // the path of the first of three leads to the same root in a tree of four
  expect(holdsLeaf(leaves[0]!, { ...proof!, size: 4 }, 1, trust)).toBe(false);
});

describe('the party of a verifier', () => {
  const message = Buffer.from('a message');

  it.each([0, 4, -1, NaN])('is not %p', (party) => {
    const verifyParty = createVerifyParty(parties);
    for (const one of PARTY_NUMBERS) {
      expect(verifyParty(party as PartyNumber, message, signAs(one, message))).toBe(false);
    }
  });

  it('is none where none was pinned, and none by a key that is no key', () => {
    expect(createVerifyParty([])(1, message, signAs(1, message))).toBe(false);
    for (const identityPublicKey of ['', 'AAAA', 'not base64!', toBase64(randomBytes(33))]) {
      const verifyParty = createVerifyParty([{ party: 1, identityPublicKey }]);
      expect(verifyParty(1, message, signAs(1, message))).toBe(false);
    }
  });

  it.each([0, 1, 2, 1_024])('says the same with %i signatures remembered, in any order', (size) => {
    const verifyParty = createVerifyParty(parties, size);
    const messages = Array.from({ length: 6 }, (_, index) => Buffer.from(`message ${index}`));
    const signatures = PARTY_NUMBERS.map((party) => messages.map((one) => signAs(party, one)));
    const party = fc.constantFrom(...PARTY_NUMBERS);
    const which = fc.nat({ max: messages.length - 1 });
    fc.assert(
      fc.property(party, party, which, which, (asked, signer, said, signed) => {
        const signature = signatures[signer - 1]![signed]!;
        const isGood = asked === signer && said === signed;
        expect(verifyParty(asked, messages[said]!, signature)).toBe(isGood);
      }),
      { numRuns: 300 },
    );
  });

  it('is not remembered for what was wrong, nor for another split of the same bytes', () => {
    const verifyParty = createVerifyParty(parties);
    const signature = signAs(1, message);
    expect(verifyParty(1, message, signature)).toBe(true);
    expect(verifyParty(2, message, signature)).toBe(false);
    expect(verifyParty(2, message, signature)).toBe(false);
    const joined = Buffer.concat([signature, message]);
    for (let at = 0; at <= joined.length; at++) {
      const isTheSame = at === 64;
      expect(verifyParty(1, joined.subarray(at), joined.subarray(0, at))).toBe(isTheSame);
    }
    const wrong = Buffer.from(signature);
    wrong[5]! ^= 1;
    expect(verifyParty(1, message, wrong)).toBe(false);
    expect(verifyParty(1, message, wrong)).toBe(false);
    expect(verifyParty(1, message, signature)).toBe(true);
  });
});

describe('a proof in bytes', () => {
  const [proof] = provenBy(1, leavesOf(7));
  const encoded = writeProof(new ByteWriter(), proof!).bytes();
  const decode = (bytes: Buffer) => {
    const reader = new ByteReader(bytes);
    const read = readProof(reader);
    reader.end();
    return read;
  };

  it('is read back as it was written', () => {
    const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const u32 = fc.nat({ max: 2 ** 32 - 1 });
    const any = fc.record({
      index: u32,
      size: u32,
      path: fc.array(hash, { maxLength: 255 }),
      signature: fc.uint8Array({ minLength: 64, maxLength: 64 }),
    });
    fc.assert(
      fc.property(any, (row) => {
        const read = decode(writeProof(new ByteWriter(), row).bytes());
        expect([read.index, read.size]).toEqual([row.index, row.size]);
        expect(read.path.map(toHex)).toEqual(row.path.map(toHex));
        expect(toHex(read.signature)).toBe(toHex(row.signature));
      }),
      { numRuns: 50 },
    );
  });

  it('is refused when cut at any byte, and when anything follows', () => {
    for (let length = 0; length < encoded.length; length++) {
      expect(() => decode(encoded.subarray(0, length))).toThrow(RangeError);
    }
    expect(() => decode(Buffer.concat([encoded, Buffer.alloc(1)]))).toThrow('trailing');
  });

  it('of a tree that nobody can have grown leads nowhere', () => {
    const leaf = leavesOf(7)[0]!;
    const deep = Array.from({ length: 255 }, () => randomBytes(32));
    for (const size of [8, 2 ** 32 - 1]) {
      expect(holdsLeaf(leaf, { ...proof!, size, path: deep }, 1, trust)).toBe(false);
    }
  });
});
