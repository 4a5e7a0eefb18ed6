import { randomBytes } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { describe, expect, it } from '@jest/globals';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { ResharingContext, ResharingDeal } from '../../threads/resharing-tasks.js';
import {
  decodeKeyShare,
  encodeKeyShare,
  verifyingSharesOf,
  type FrostKeyShare,
} from '../frost/frost-key-share.js';
import { RFC9591_ED25519 as RFC } from '../frost/rfc9591-vector.js';
import type { TakenShare } from './dealing.js';
import { dealFrost, takeFrost } from './frost-resharing.js';

const { Point } = ed25519;
const { Fn } = Point;
const PARTIES = [1, 2, 3] as const;

const scalarOf = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
const scalarBytes = (value: bigint) => Fn.toBytes(Fn.create(value));
const pointOf = (value: bigint) => Point.BASE.multiply(Fn.create(value)).toBytes();
const hex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));
const drawScalar = () => Fn.create(scalarOf(randomBytes(31)) + 1n);

/** The RFC's key: f(x) = secret + slope·x. */
const SECRET = scalarOf(hex(RFC.groupSecretKey));
const SLOPE = scalarOf(hex(RFC.sharePolynomialCoefficient));
const PUBLIC_KEY = hex(RFC.groupPublicKey);

function shareOf(party: PartyNumber): FrostKeyShare {
  return {
    identifier: party,
    signingShare: scalarBytes(SECRET + SLOPE * BigInt(party)),
    groupPublicKey: PUBLIC_KEY,
    verifyingShares: verifyingSharesOf(PUBLIC_KEY, pointOf(SLOPE)),
  };
}

function contextOf(dealers: readonly [PartyNumber, PartyNumber]): ResharingContext {
  const key = { keyId: 'key', version: 2, type: 'ed25519', publicKey: PUBLIC_KEY } as const;
  return { session: 'session', ...key, dealers };
}

/** λ of `own` at `at`, for the line through two parties. */
function lambda(own: number, other: number, at = 0): bigint {
  return Fn.div(BigInt(at - other), BigInt(own - other));
}

function joined(one: FrostKeyShare, other: FrostKeyShare): bigint {
  const term = (own: FrostKeyShare, second: FrostKeyShare) =>
    Fn.mul(scalarOf(own.signingShare), Fn.create(lambda(own.identifier, second.identifier)));
  return Fn.add(term(one, other), term(other, one));
}

const finished = (taken: TakenShare) => decodeKeyShare(taken.finish(new Map()).secret);

/** The new share of each party; the one that deals nothing has no old one. */
function reshareAll(dealers: readonly [PartyNumber, PartyNumber]): FrostKeyShare[] {
  const context = contextOf(dealers);
  const dealings = dealers.map((dealer) =>
    dealFrost({ self: dealer, context }, encodeKeyShare(shareOf(dealer))),
  );
  const dealOf = (at: number, to: PartyNumber): ResharingDeal => ({
    dealer: dealers[at]!,
    published: dealings[at]!.published,
    piece: dealings[at]!.pieceFor(to),
  });
  return PARTIES.map((self) => {
    const at = dealers.indexOf(self);
    return finished(
      at === -1
        ? takeFrost({ self, context }, [dealOf(0, self), dealOf(1, self)])
        : dealings[at]!.take(dealOf(1 - at, self)),
    );
  });
}

describe.each([[[1, 2]], [[1, 3]], [[2, 3]]] as const)('parties %j deal', (dealers) => {
  const shares = reshareAll(dealers);

  it('new shares of the same secret to all three', () => {
    for (const [at, own] of shares.entries()) {
      const other = shares[(at + 1) % 3]!;
      expect(own.identifier).toBe(at + 1);
      expect(joined(own, other)).toBe(SECRET);
      expect(Buffer.from(own.groupPublicKey).toString('hex')).toBe(RFC.groupPublicKey);
      expect(own.verifyingShares).toEqual(
        shares.map(({ signingShare }) => pointOf(scalarOf(signingShare))),
      );
    }
  });

  it('shares that are of no use with the old ones, and of another line each time', () => {
    const again = reshareAll(dealers);
    for (const old of PARTIES) {
      for (const share of shares) {
        if (share.identifier === old)
          expect(share.signingShare).not.toEqual(shareOf(old).signingShare);
        else expect(joined(shareOf(old), share)).not.toBe(SECRET);
      }
    }
    expect(again[0]!.signingShare).not.toEqual(shares[0]!.signingShare);
  });
});

/** What dealer 2 can do, knowing its own share and what it draws. */
interface Lie {
  readonly constant?: bigint;
  readonly slope?: bigint;
  readonly published?: (published: Buffer) => Uint8Array;
  readonly piece?: (piece: Uint8Array) => Uint8Array;
}

const HONEST = Fn.mul(scalarOf(shareOf(2).signingShare), Fn.create(lambda(2, 1)));

function dealOfTwo(to: PartyNumber, lie: Lie): ResharingDeal {
  const { constant = HONEST, slope = drawScalar(), published, piece } = lie;
  const honest = Buffer.concat([pointOf(constant), pointOf(slope)]);
  const given = scalarBytes(constant + slope * BigInt(to));
  return { dealer: 2, published: published?.(honest) ?? honest, piece: piece?.(given) ?? given };
}

/** What parties 1, which deals too, and 3, which has no share, find: the party and the reason. */
function foundBy(self: 1 | 3, lie: Lie): unknown {
  const context = contextOf([1, 2]);
  const one = dealFrost({ self: 1, context }, encodeKeyShare(shareOf(1)));
  const honest = { dealer: 1, published: one.published, piece: one.pieceFor(3) } as const;
  try {
    const lying = dealOfTwo(self, lie);
    if (self === 1) one.take(lying);
    else takeFrost({ self, context }, [honest, lying]);
    return 'nothing';
  } catch (error) {
    return error;
  }
}

const TORSION = hex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05');
const withPoint = (point: Uint8Array, at: 0 | 32) => (published: Buffer) =>
  Buffer.concat([published.subarray(0, at), point, published.subarray(at + 32)]);

describe('a dealer that', () => {
  it('deals as it should is not found', () => {
    expect(foundBy(1, {})).toBe('nothing');
    expect(foundBy(3, {})).toBe('nothing');
  });

  it('deals another share than its own is named by the other dealer; the third only sees it', () => {
    const lie = { constant: Fn.add(HONEST, 1n) };
    expect(foundBy(1, lie)).toMatchObject({ name: 'ResharingError', party: 2 });
    expect(foundBy(3, lie)).toMatchObject({
      message: 'what the dealers dealt does not add up to the key',
      party: undefined,
    });
  });

  it.each<[string, Lie]>([
    ['gives a piece of another line', { piece: (piece) => scalarBytes(scalarOf(piece) + 1n) }],
    ['gives no scalar', { piece: (piece) => addOrder(piece) }],
    ['gives the scalar 0', { piece: () => new Uint8Array(32) }],
    ['gives a short piece', { piece: (piece) => piece.subarray(1) }],
    ['publishes nothing', { published: () => new Uint8Array() }],
    ['publishes the identity as its slope', { published: withPoint(pointOf0(), 32) }],
    ['publishes a point of small order', { published: withPoint(TORSION, 32) }],
    ['publishes more than two points', { published: (p) => Buffer.concat([p, p.subarray(32)]) }],
  ])('%s is named by whoever is to take it', (_what, lie) => {
    for (const self of [1, 3] as const) {
      expect(foundBy(self, lie)).toMatchObject({ name: 'ResharingError', party: 2 });
    }
  });

  it('draws what cancels out the other draw makes no share: it would be the secret', () => {
    const context = contextOf([1, 2]);
    const constants = [1, 2].map((own) => {
      const share = scalarOf(shareOf(own as PartyNumber).signingShare);
      return Fn.mul(share, Fn.create(lambda(own, 3 - own)));
    });
    const slope = drawScalar();
    const deals = [slope, Fn.neg(slope)].map((drawn, at) => ({
      dealer: (at + 1) as PartyNumber,
      published: Buffer.concat([pointOf(constants[at]!), pointOf(drawn)]),
      piece: scalarBytes(constants[at]! + drawn * 3n),
    }));
    expect(() => takeFrost({ self: 3, context }, deals)).toThrow('cancels out');
  });

  it.each<[string, FrostKeyShare]>([
    ['is of another party', shareOf(1)],
    ['is damaged', { ...shareOf(2), signingShare: scalarBytes(5n) }],
  ])('has a share that %s deals nothing', (_what, share) => {
    const place = { self: 2 as const, context: contextOf([1, 2]) };
    expect(() => dealFrost(place, encodeKeyShare(share))).toThrow(/key/);
  });

  it('has a share of another key than the ledger names deals nothing', () => {
    const context = { ...contextOf([1, 2]), publicKey: pointOf(7n) };
    expect(() => dealFrost({ self: 2, context }, encodeKeyShare(shareOf(2)))).toThrow(
      'is of another key',
    );
  });

  it('is wiped gives nothing more', () => {
    const context = contextOf([1, 2]);
    const dealing = dealFrost({ self: 2, context }, encodeKeyShare(shareOf(2)));
    dealing.wipe();
    expect(dealing.pieceFor(1)).toEqual(new Uint8Array(32));
  });
});

function pointOf0(): Uint8Array {
  return Point.ZERO.toBytes();
}

function addOrder(scalar: Uint8Array): Uint8Array {
  const value = scalarOf(scalar) + Fn.ORDER;
  return Uint8Array.from(Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse());
}
