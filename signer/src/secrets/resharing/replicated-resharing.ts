/**
 * New shares of a secret that is split in three replicated parts: party i holds parts i and next(i).
 *
 * Every party that has an old share and a new one knows what was added to two parts, so to the third too: it is
 * whatever makes them cancel. So nothing is lost by telling all three parties a seed of each dealer. From both seeds each
 * derives the same three offsets, which cancel by construction: there is no sum to lie about. Who was not in the resharing
 * knows neither seed. An old share and a new one of it then have one index in common, and hide what is lacking.
 *
 * Each dealer says the commitments of all old parts, and gives the third party the one old part that they have in
 * common. So the third checks what it gets by what both dealers say, and needs no share of its own.
 */
import { hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Bytes } from '@countersign/core/bytes.js';
import { sha256 } from '@countersign/core/hash.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { nextParty, partCommitment } from '@countersign/custody/import-package.js';
import { sodium } from '@countersign/custody/sodium.js';
import { ResharingError } from '../../threads/resharing-error.js';
import type { ResharingDeal } from '../../threads/resharing-tasks.js';
import type { PartCommitments } from '../../threads/rsa-public-values.js';
import { randomSecret } from '../sealing/share-seal.js';
import { HASH_BYTES, inContext } from './deal-words.js';
import { otherDealer, type Dealing, type ResharingPlace, type TakenShare } from './dealing.js';

const SEED_DOMAIN = 'countersign resharing seed v1';
const OFFSET_DOMAIN = 'countersign resharing offset v1';
const SEED_BYTES = 32;
const COMMITTED = PARTY_NUMBERS.length * HASH_BYTES;

/** A party's two parts. */
export interface Parts {
  readonly own: Uint8Array;
  readonly next: Uint8Array;
}

/** How parts of one kind of secret are read, changed and kept. */
export interface ReplicatedForm {
  /** Views into `opened`. Throws unless it is this party's good share of the key. */
  read(place: ResharingPlace, opened: Uint8Array): Parts & { partCommitments: PartCommitments };
  /** The part plus its offset, in a new buffer. Throws when it has a size that no part can have. */
  renew(place: ResharingPlace, draw: Draw, index: PartyNumber, part: Uint8Array): Uint8Array;
  /** The share as it is sealed. Secret: the caller wipes it. */
  encode(place: ResharingPlace, parts: Parts, partCommitments: PartCommitments): Uint8Array;
}

/** Random bytes that all parties of the resharing draw alike. Secret: the caller wipes them. */
export type Draw = (label: string, length: number) => Uint8Array;

/** `opened`: this dealer's encoded share, which the caller wipes. Throws when it is not a good one of the key. */
export function dealReplicated(
  form: ReplicatedForm,
  place: ResharingPlace,
  opened: Uint8Array,
): Dealing {
  const { self, context } = place;
  const { partCommitments, ...read } = form.read(place, opened);
  const parts = { own: Uint8Array.from(read.own), next: Uint8Array.from(read.next) };
  const seed = randomSecret(SEED_BYTES);
  const commitments = Buffer.concat(partCommitments);
  const published = Uint8Array.from([...commitments, ...seedCommitment(place, self, seed)]);
  const other = otherDealer(place);
  const pieceFor = (to: PartyNumber) =>
    encodePiece(
      seed,
      context.dealers.includes(to) ? new Uint8Array() : commonPart(self, parts, to),
    );
  return {
    published,
    pieceFor,
    take(deal) {
      if (!commitments.equals(deal.published.subarray(0, COMMITTED))) {
        throw new ResharingError(`party ${other} says other parts than those of the key`, other);
      }
      const own = { dealer: self, published, piece: pieceFor(self) };
      const seeds = [own, deal].map((one) => decodePiece(place, one));
      try {
        return takeParts(form, place, parts, seeds);
      } finally {
        for (const one of seeds) sodium.sodium_memzero(one.seed);
      }
    },
    wipe() {
      for (const secret of [seed, parts.own, parts.next]) sodium.sodium_memzero(secret);
    },
  };
}

/** Takes the new share of a party that has no old one, given both deals. Throws `ResharingError`. */
export function takeReplicated(
  form: ReplicatedForm,
  place: ResharingPlace,
  deals: readonly ResharingDeal[],
): TakenShare {
  const [first, second] = deals as readonly [ResharingDeal, ResharingDeal];
  const pieces = deals.map((deal) => decodePiece(place, deal));
  try {
    if (!sameBytes(committedOf(first), committedOf(second))) {
      throw new ResharingError('the dealers say different parts of the key');
    }
    for (const [at, { dealer, published }] of deals.entries()) {
      const index = commonIndex(dealer, place.self);
      const committed = published.subarray((index - 1) * HASH_BYTES, index * HASH_BYTES);
      if (!sameBytes(partCommitment(index, pieces[at]!.part), committed)) {
        throw new ResharingError(`party ${dealer} gave another part than that of the key`, dealer);
      }
    }
    const partOf = (index: PartyNumber) =>
      pieces.find(({ dealer }) => commonIndex(dealer, place.self) === index)!.part;
    const parts = { own: partOf(place.self), next: partOf(nextParty(place.self)) };
    return takeParts(form, place, parts, pieces);
  } finally {
    for (const { seed, part } of pieces) {
      sodium.sodium_memzero(seed);
      sodium.sodium_memzero(part);
    }
  }
}

interface Piece {
  readonly dealer: PartyNumber;
  readonly seed: Uint8Array;
  /** Empty for a dealer. */
  readonly part: Uint8Array;
}

function takeParts(
  form: ReplicatedForm,
  place: ResharingPlace,
  old: Parts,
  pieces: readonly Piece[],
): TakenShare {
  const { self } = place;
  const next = nextParty(self);
  const seeds = pieces.toSorted((a, b) => a.dealer - b.dealer).map(({ seed }) => seed);
  const draw = drawFrom(place, seeds);
  const parts = {
    own: form.renew(place, draw, self, old.own),
    next: form.renew(place, draw, next, old.next),
  };
  const own = [partCommitment(self, parts.own), partCommitment(next, parts.next)] as const;
  return {
    statement: Buffer.concat(own),
    finish(statements) {
      const partCommitments = agreedCommitments(self, own, statements);
      const secret = form.encode(place, parts, partCommitments);
      return { secret, publicValues: Buffer.concat(partCommitments) };
    },
    wipe() {
      sodium.sodium_memzero(parts.own);
      sodium.sodium_memzero(parts.next);
    },
  };
}

/**
 * Each part has two holders, and both must say the same of it. All have derived the parts from the same public values,
 * as they have compared. So whoever says something else of a part that this party holds too, has lied.
 */
function agreedCommitments(
  self: PartyNumber,
  own: readonly [Buffer, Buffer],
  statements: ReadonlyMap<PartyNumber, Uint8Array>,
): PartCommitments {
  const agreed = new Map<PartyNumber, Uint8Array>([
    [self, own[0]],
    [nextParty(self), own[1]],
  ]);
  for (const [party, statement] of statements) {
    if (statement.length !== 2 * HASH_BYTES) {
      throw new ResharingError(`party ${party} says nothing of its parts`, party);
    }
    for (const [at, index] of [party, nextParty(party)].entries()) {
      const said = statement.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES);
      const known = agreed.get(index) ?? said;
      agreed.set(index, known);
      if (sameBytes(known, said)) continue;
      const isOwn = index === self || index === nextParty(self);
      throw new ResharingError(
        `party ${party} took another part ${index} than the other holder`,
        isOwn ? party : undefined,
      );
    }
  }
  return [agreed.get(1)!, agreed.get(2)!, agreed.get(3)!];
}

function drawFrom({ context }: ResharingPlace, seeds: readonly Uint8Array[]): Draw {
  return (label, length) => {
    const info = inContext(OFFSET_DOMAIN, context).field(label).bytes();
    const secret = new Uint8Array(seeds.length * SEED_BYTES);
    seeds.forEach((seed, at) => secret.set(seed, at * SEED_BYTES));
    const drawn = new Uint8Array(hkdfSync('sha512', secret, '', info, length));
    sodium.sodium_memzero(secret);
    return drawn;
  };
}

function seedCommitment({ context }: ResharingPlace, dealer: PartyNumber, seed: Bytes): Buffer {
  return sha256(inContext(SEED_DOMAIN, context).u8(dealer).bytes(), seed);
}

function encodePiece(seed: Bytes, part: Bytes): Uint8Array {
  const piece = new Uint8Array(SEED_BYTES + part.length);
  piece.set(seed);
  piece.set(part, SEED_BYTES);
  return piece;
}

/** In buffers of their own. Throws unless the seed is the one that the dealer committed to. */
function decodePiece(place: ResharingPlace, { dealer, published, piece }: ResharingDeal): Piece {
  const seed = piece.slice(0, SEED_BYTES);
  const isCommitted =
    published.length === COMMITTED + HASH_BYTES &&
    seed.length === SEED_BYTES &&
    sameBytes(seedCommitment(place, dealer, seed), published.subarray(COMMITTED));
  if (!isCommitted) {
    throw new ResharingError(`a seed of party ${dealer} is not the committed one`, dealer);
  }
  return { dealer, seed, part: piece.slice(SEED_BYTES) };
}

function committedOf({ published }: ResharingDeal): Uint8Array {
  return published.subarray(0, COMMITTED);
}

/** The index of the part that two parties have in common. */
function commonIndex(one: PartyNumber, other: PartyNumber): PartyNumber {
  return nextParty(one) === other ? other : one;
}

function commonPart(self: PartyNumber, { own, next }: Parts, other: PartyNumber): Uint8Array {
  return commonIndex(self, other) === self ? own : next;
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
