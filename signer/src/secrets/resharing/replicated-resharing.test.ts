import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { toBigInt, toBytes } from '@countersign/core/big-integers.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { nextParty, partCommitment } from '@countersign/custody/import-package.js';
import { rsaTestKey } from '../../../../test/support/rsa-test-keys.js';
import { splitHmac, splitRsa, type SplitSecret } from '../../../../test/support/split-secrets.js';
import type { ResharingContext, ResharingDeal } from '../../threads/resharing-tasks.js';
import { decodeHmacKeyShare, encodeHmacKeyShare, partThatLacks } from '../maths/hmac-maths.js';
import {
  decodeRsaKeyShare,
  encodeRsaKeyShare,
  hasItsCommittedParts,
} from '../rsa/rsa-key-share.js';
import type { TakenShare } from './dealing.js';
import { HMAC_PARTS } from './hmac-parts.js';
import {
  dealReplicated,
  takeReplicated,
  type Parts,
  type ReplicatedForm,
} from './replicated-resharing.js';
import { RSA_PARTS } from './rsa-parts.js';

const PARTIES = [1, 2, 3] as const;
const DEALERS = [
  [1, 2],
  [1, 3],
  [2, 3],
] as const;
type Dealers = (typeof DEALERS)[number];

const rsa = rsaTestKey('2048');
const spki = rsa.publicKey.export({ format: 'der', type: 'spki' });

interface Kind {
  readonly form: ReplicatedForm;
  readonly key: Pick<ResharingContext, 'type' | 'publicKey'>;
  /** Encoded shares of parties 1, 2 and 3. */
  make(): Uint8Array[];
  partsOf(party: PartyNumber, encoded: Uint8Array): Parts;
  /** What the three parts make. */
  join(parts: readonly Uint8Array[]): string;
}

const RSA: Kind = {
  form: RSA_PARTS,
  key: { type: 'rsa', publicKey: spki },
  make: () => splitRsa(rsa.privateKey).map((each) => encodeRsaKeyShare(rsaShareOf(each))),
  partsOf: (_party, encoded) => decodeRsaKeyShare(encoded),
  join: (parts) => String(parts.map(toBigInt).reduce((sum, part) => sum + part)),
};

const HMAC: Kind = {
  form: HMAC_PARTS,
  key: { type: 'hmac', publicKey: new Uint8Array() },
  make: () => hmacShares(splitHmac(randomBytes(40))),
  partsOf(party, encoded) {
    const [own, next] = decodeHmacKeyShare(party, encoded).parts;
    return { own, next };
  },
  join: ([first, second, third]) =>
    Buffer.from(first!.map((byte, at) => byte ^ second![at]! ^ third![at]!)).toString('hex'),
};

function rsaShareOf({ party, common, part }: SplitSecret[number]) {
  if (common.type !== 'rsa' || part.type !== 'rsa') throw new Error('not an RSA key');
  const [own, next] = part.parts;
  const { modulus, publicExponent, partCommitments } = common;
  return { party, modulus, publicExponent, partCommitments, own, next };
}

function hmacShares(split: SplitSecret): Uint8Array[] {
  return split.map(({ party, common, part }) => {
    if (common.type !== 'hmac' || part.type !== 'hmac') throw new Error('not an HMAC secret');
    const missingCommitment = common.partCommitments[partThatLacks(party) - 1]!;
    return encodeHmacKeyShare({ party, parts: part.parts, missingCommitment });
  });
}

/** The three parts, of which two parties agree on each. */
function partsIn(kind: Kind, shares: readonly Uint8Array[]): Uint8Array[] {
  const held = PARTIES.map((party) => kind.partsOf(party, shares[party - 1]!));
  for (const party of PARTIES) {
    const { next } = held[party - 1]!;
    expect(Buffer.from(next)).toEqual(Buffer.from(held[nextParty(party) - 1]!.own));
  }
  return held.map(({ own }) => own);
}

let count = 0;

function contextOf(kind: Kind, dealers: Dealers): ResharingContext {
  count += 1;
  return { session: `session ${count}`, keyId: 'key', version: 2, ...kind.key, dealers };
}

type Tamper = (deal: ResharingDeal, to: PartyNumber) => ResharingDeal;

/** What each party takes. The one that deals nothing has no old share. */
function takeAll(
  { form, key }: Pick<Kind, 'form' | 'key'>,
  shares: readonly Uint8Array[],
  dealers: Dealers,
  tamper: Tamper = (deal) => deal,
): (() => TakenShare)[] {
  const context = contextOf({ form, key } as Kind, dealers);
  const dealings = dealers.map((self) =>
    dealReplicated(form, { self, context }, shares[self - 1]!.slice()),
  );
  const dealOf = (at: number, to: PartyNumber) =>
    tamper(
      {
        dealer: dealers[at]!,
        published: dealings[at]!.published,
        piece: dealings[at]!.pieceFor(to),
      },
      to,
    );
  return PARTIES.map((self) => () => {
    const at = (dealers as readonly PartyNumber[]).indexOf(self);
    return at === -1
      ? takeReplicated(form, { self, context }, [dealOf(0, self), dealOf(1, self)])
      : dealings[at]!.take(dealOf(1 - at, self));
  });
}

function statementsFor(self: PartyNumber, taken: readonly TakenShare[]) {
  return new Map(
    PARTIES.filter((party) => party !== self).map((party) => [party, taken[party - 1]!.statement]),
  );
}

function reshareAll(kind: Kind, shares: readonly Uint8Array[], dealers: Dealers): Uint8Array[] {
  const taken = takeAll(kind, shares, dealers).map((take) => take());
  const finished = taken.map((share, at) => share.finish(statementsFor(PARTIES[at]!, taken)));
  expect(
    new Set(finished.map(({ publicValues }) => Buffer.from(publicValues).toString('hex'))).size,
  ).toBe(1);
  return finished.map(({ secret }) => secret);
}

describe.each([
  ['RSA', RSA],
  ['HMAC', HMAC],
] as const)('parts of an %s secret', (_name, kind) => {
  it.each(DEALERS)('are others with the same sum, from parties %d and %d', (...dealers) => {
    const old = kind.make();
    const shares = reshareAll(kind, old, dealers);
    const [before, after] = [partsIn(kind, old), partsIn(kind, shares)];
    expect(kind.join(after)).toBe(kind.join(before));
    for (const at of [0, 1, 2]) {
      expect(Buffer.from(after[at]!)).not.toEqual(Buffer.from(before[at]!));
    }
  });

  it('are of no use with old ones', () => {
    const old = kind.make();
    const [before, after] = [partsIn(kind, old), partsIn(kind, reshareAll(kind, old, [1, 3]))];
    const whole = kind.join(before);
    // every choice of parts, some old and some new
    for (let choice = 1; choice < 7; choice++) {
      const mixed = [0, 1, 2].map((at) => (((choice >> at) & 1) === 1 ? after[at]! : before[at]!));
      expect(kind.join(mixed)).not.toBe(whole);
    }
  });

  it('are changed otherwise by each resharing', () => {
    const old = kind.make();
    const [once, again] = [reshareAll(kind, old, [1, 2]), reshareAll(kind, old, [1, 2])];
    for (const at of [0, 1, 2]) {
      expect(Buffer.from(partsIn(kind, once)[at]!)).not.toEqual(
        Buffer.from(partsIn(kind, again)[at]!),
      );
    }
  });

  /** What party 2, a dealer beside party 1, tells. Parties 1 and 3 find this. */
  const change = (bytes: Uint8Array, at: number) =>
    bytes.map((byte, index) => (index === at ? byte ^ 1 : byte));
  const ofTwo =
    (lie: (deal: ResharingDeal) => Partial<ResharingDeal>): Tamper =>
    (deal) =>
      deal.dealer === 2 ? { ...deal, ...lie(deal) } : deal;
  const seedLie = { party: 2, message: 'a seed of party 2 is not the committed one' };

  it.each<[string, Tamper, object | undefined, object | undefined]>([
    [
      'tells another seed than it committed to',
      ofTwo(({ piece }) => ({ piece: change(piece, 0) })),
      seedLie,
      seedLie,
    ],
    [
      'tells a short seed',
      ofTwo(({ piece }) => ({ piece: piece.subarray(0, 31) })),
      seedLie,
      seedLie,
    ],
    [
      'publishes nothing',
      ofTwo(() => ({ published: new Uint8Array() })),
      { party: 2 },
      { party: 2 },
    ],
    [
      'says other parts of the key',
      ofTwo(({ published }) => ({ published: change(published, 0) })),
      { party: 2, message: 'party 2 says other parts than those of the key' },
      { party: undefined, message: 'the dealers say different parts of the key' },
    ],
    [
      'gives the third party another part',
      ofTwo(({ piece }) => ({ piece: piece.length > 32 ? change(piece, 40) : piece })),
      undefined,
      { party: 2, message: 'party 2 gave another part than that of the key' },
    ],
    [
      'gives the third party no part',
      ofTwo(({ piece }) => ({ piece: piece.subarray(0, 32) })),
      undefined,
      { party: 2 },
    ],
  ])('a dealer that %s is found', (_what, tamper, byDealer, byThird) => {
    const [one, , three] = takeAll(kind, kind.make(), [1, 2], tamper);
    for (const [take, found] of [
      [one!, byDealer],
      [three!, byThird],
    ] as const) {
      if (found === undefined) expect(take).not.toThrow();
      else expect(take).toThrow(expect.objectContaining({ name: 'ResharingError', ...found }));
    }
  });

  it.each<[string, PartyNumber, number, PartyNumber | undefined]>([
    // party 2 has parts 2 and 3, party 1 parts 1 and 2, party 3 parts 3 and 1
    ['a part that this party has is named', 1, 0, 2],
    ['a part that it lacks is not: it may be the other holder', 1, 32, undefined],
    ['a part that it has is named, by the third too', 3, 32, 2],
  ])('a party that says something else of %s', (_what, self, at, named) => {
    const taken = takeAll(kind, kind.make(), [1, 2]).map((take) => take());
    const statements = statementsFor(self, taken);
    statements.set(2, change(taken[1]!.statement, at));
    expect(() => taken[self - 1]!.finish(statements)).toThrow(
      expect.objectContaining({ name: 'ResharingError', party: named }),
    );
  });

  it('a party that says nothing of its parts is named', () => {
    const taken = takeAll(kind, kind.make(), [1, 2]).map((take) => take());
    const statements = statementsFor(1, taken).set(3, new Uint8Array(63));
    expect(() => taken[0]!.finish(statements)).toThrow(expect.objectContaining({ party: 3 }));
  });

  it('a share of another party, or of parts that were changed, deals nothing', () => {
    const [own, other] = kind.make();
    const place = { self: 1, context: contextOf(kind, [1, 2]) } as const;
    expect(() => dealReplicated(kind.form, place, other!)).toThrow();
    const damaged = own!.map((byte, at) => (at === own!.length - 40 ? byte ^ 1 : byte));
    if (kind === RSA) expect(() => dealReplicated(kind.form, place, damaged)).toThrow('damaged');
  });

  it('a dealing that is wiped gives nothing more', () => {
    const [own] = kind.make();
    const place = { self: 1, context: contextOf(kind, [1, 2]) } as const;
    const dealing = dealReplicated(kind.form, place, own!);
    dealing.wipe();
    expect(dealing.pieceFor(3).every((byte) => byte === 0)).toBe(true);
  });
});

describe('parts of an RSA key', () => {
  it('are good after a hundred resharings, of the length they had', () => {
    let shares = RSA.make();
    const sum = RSA.join(partsIn(RSA, shares));
    for (let round = 0; round < 100; round++) shares = reshareAll(RSA, shares, DEALERS[round % 3]!);
    expect(RSA.join(partsIn(RSA, shares))).toBe(sum);
    for (const bytes of shares) {
      const share = decodeRsaKeyShare(bytes);
      expect(hasItsCommittedParts(share)).toBe(true);
      expect(share.own).toHaveLength(273);
    }
  });

  const context = contextOf(RSA, [1, 2]);
  const renewed = (parts: readonly bigint[], byte: number) =>
    PARTIES.map((index) =>
      RSA_PARTS.renew(
        { self: 1, context },
        (_label, length) => new Uint8Array(length).fill(byte),
        index,
        toBytes(parts[index - 1]!),
      ),
    );

  it.each([0, 0x5a, 0xff])('have the same sum whatever is drawn: bytes of %d', (byte) => {
    const parts = [1n << 2177n, 3n << 2176n, 1n << 2178n];
    expect(RSA.join(renewed(parts, byte))).toBe(String(parts.reduce((sum, part) => sum + part)));
  });

  it('change by 2^112 times the modulus at most: 65,000 resharings find room', () => {
    const part = 1n << 2177n;
    const most = [0, 0xff].flatMap((byte) =>
      renewed([part, part, part], byte).map((after) => toBigInt(after) - part),
    );
    for (const change of most) {
      expect((change < 0n ? -change : change) <= 1n << (2048n + 112n)).toBe(true);
    }
    expect(((1n << 2176n) - (1n << 2168n)) / (1n << 2160n)).toBeGreaterThan(65_000n);
  });

  it('that would become too short are no share', () => {
    const short = toBytes(1n << 2168n);
    const partCommitments = PARTIES.map((index) => partCommitment(index, short)) as never;
    const place = { self: 1, context } as const;
    const parts = { own: short, next: toBytes((1n << 2168n) - 1n) };
    expect(() => RSA_PARTS.encode(place, parts, partCommitments)).toThrow('too short');
  });
});
