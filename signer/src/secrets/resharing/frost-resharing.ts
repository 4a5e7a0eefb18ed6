/**
 * New shares of a FROST key from the old shares of two parties (Desmedt and Jajodia, "Redistributing Secret Shares to
 * New Access Structures", 1997; the checks are Feldman's, as in Wong, Wang and Wing, "Verifiable Secret Redistribution
 * for Archive Systems", 2002).
 *
 * s = λ_a·s_a + λ_b·s_b. Dealer i deals its summand: it draws c_i, publishes λ_i·s_i·B and c_i·B, and gives party j
 * g_i(j) = λ_i·s_i + c_i·j. The new share of j is g_a(j) + g_b(j), on the line s + (c_a + c_b)·x. Its slope has nothing to
 * do with the old one, whatever one dealer chose: an old share and a new one are points of two lines, and every s is
 * possible.
 */
import type { Bytes } from '@countersign/core/bytes.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { sodium } from '@countersign/custody/sodium.js';
import { ResharingError } from '../../threads/resharing-error.js';
import type { ResharingDeal } from '../../threads/resharing-tasks.js';
import {
  addPoints,
  equalPoints,
  identifierScalar,
  isValidPoint,
  lagrange,
  POINT_BYTES,
} from '../frost/frost-ed25519.js';
import {
  decodeKeyShare,
  encodeKeyShare,
  validateKeyShare,
  verifyingSharesOf,
  type FrostKeyShare,
} from '../frost/frost-key-share.js';
import {
  isCanonicalScalar,
  isZeroScalar,
  SCALAR_BYTES,
  scalarAdd,
  scalarMul,
  scalarMulAdd,
  scalarReduce,
} from '../frost/frost-scalars.js';
import { randomSecret } from '../sealing/share-seal.js';
import { otherDealer, type Dealing, type ResharingPlace, type TakenShare } from './dealing.js';

/** `opened`: this dealer's encoded share, which the caller wipes. Throws when it is not a good one of the key. */
export function dealFrost(place: ResharingPlace, opened: Uint8Array): Dealing {
  const { self } = place;
  const share = ownShare(place, opened);
  const other = otherDealer(place);
  const constant = scalarMul(lagrange(self, other), share.signingShare);
  const slope = randomScalar();
  const othersConstant = new Uint8Array(POINT_BYTES);
  const othersVerifyingShare = share.verifyingShares[other - 1]!;
  sodium.crypto_scalarmult_ed25519_noclamp(
    othersConstant,
    lagrange(other, self),
    othersVerifyingShare,
  );
  const published = Uint8Array.from([...basePoint(constant), ...basePoint(slope)]);
  const pieceFor = (to: PartyNumber) => scalarMulAdd(slope, identifierScalar(to), constant);
  return {
    published,
    pieceFor,
    take(deal) {
      if (!equalPoints(deal.published.subarray(0, POINT_BYTES), othersConstant)) {
        throw new ResharingError(`party ${other} dealt something else than its share`, other);
      }
      const own = { dealer: self, published, piece: pieceFor(self) };
      try {
        return takeFrost(place, [own, deal]);
      } finally {
        sodium.sodium_memzero(own.piece);
      }
    },
    wipe() {
      sodium.sodium_memzero(constant);
      sodium.sodium_memzero(slope);
    },
  };
}

/** Takes the new share of a party, given both deals. Throws `ResharingError`. */
export function takeFrost(
  { self, context }: ResharingPlace,
  deals: readonly ResharingDeal[],
): TakenShare {
  for (const deal of deals) requirePiece(self, deal);
  const [first, second] = deals as readonly [ResharingDeal, ResharingDeal];
  const constant = sumOf(constantOf(first), constantOf(second));
  if (!equalPoints(constant, context.publicKey)) {
    throw new ResharingError('what the dealers dealt does not add up to the key');
  }
  const slope = sumOf(slopeOf(first), slopeOf(second));
  // without a slope every share would be the whole secret
  if (!isValidPoint(slope)) throw new ResharingError('what the dealers drew cancels out');
  const share: FrostKeyShare = {
    identifier: self,
    signingShare: scalarAdd(first.piece, second.piece),
    groupPublicKey: constant,
    verifyingShares: verifyingSharesOf(constant, slope),
  };
  validateKeyShare(share);
  return {
    statement: new Uint8Array(),
    finish: () => ({
      secret: encodeKeyShare(share),
      publicValues: Buffer.concat(share.verifyingShares),
    }),
    wipe: () => sodium.sodium_memzero(share.signingShare),
  };
}

/** Feldman's check: g_i(j)·B = λ_i·s_i·B + j·c_i·B. */
function requirePiece(self: PartyNumber, { dealer, published, piece }: ResharingDeal): void {
  if (
    published.length !== 2 * POINT_BYTES ||
    !isValidPoint(published.subarray(0, POINT_BYTES)) ||
    !isValidPoint(published.subarray(POINT_BYTES))
  ) {
    throw new ResharingError(`party ${dealer} published no commitments`, dealer);
  }
  const isScalar = isCanonicalScalar(piece) && !isZeroScalar(piece);
  const deal = { dealer, published, piece };
  const committed = verifyingSharesOf(constantOf(deal), slopeOf(deal))[self - 1]!;
  if (!isScalar || !equalPoints(basePoint(piece), committed)) {
    throw new ResharingError(`a piece of party ${dealer} does not fit its commitments`, dealer);
  }
}

function ownShare({ self, context }: ResharingPlace, opened: Uint8Array): FrostKeyShare {
  const share = decodeKeyShare(opened);
  validateKeyShare(share);
  if (share.identifier !== self || !equalPoints(share.groupPublicKey, context.publicKey)) {
    throw new Error(`the share of key ${context.keyId} is of another key`);
  }
  return share;
}

function constantOf({ published }: Pick<ResharingDeal, 'published'>): Bytes {
  return published.subarray(0, POINT_BYTES);
}

function slopeOf({ published }: Pick<ResharingDeal, 'published'>): Bytes {
  return published.subarray(POINT_BYTES);
}

function sumOf(p: Uint8Array, q: Uint8Array): Uint8Array {
  return addPoints(Uint8Array.from(p), q);
}

function basePoint(scalar: Uint8Array): Uint8Array {
  const point = new Uint8Array(POINT_BYTES);
  sodium.crypto_scalarmult_ed25519_base_noclamp(point, scalar);
  return point;
}

function randomScalar(): Uint8Array {
  const wide = randomSecret(2 * SCALAR_BYTES);
  const scalar = scalarReduce(wide);
  sodium.sodium_memzero(wide);
  return scalar;
}
