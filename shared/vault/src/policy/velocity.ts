/**
 * How much a rule may allow in a rolling window. A rule says how much a request would take of its limit. The parties,
 * which alone know what they signed, say which limits that would pass. Pure.
 */
import type { Moved } from '@countersign/api/conditions/condition.js';
import type { VelocityLimit } from '@countersign/api/conditions/kept-conditions.js';
import { ByteWriter, toHex } from '@countersign/core/bytes.js';
import { compareDecimals, isDecimal } from '@countersign/core/decimal.js';
import { sumDecimals } from '@countersign/core/decimal-arithmetic.js';
import { sha256 } from '@countersign/core/hash.js';
import type { VelocityUnit } from '@countersign/core/vocabulary.js';
import type { VenueFacts } from '@countersign/venues/engine/venue-facts.js';
import { amountMoved } from './moved-amounts.js';
import { usdValueOf, type UsdValue, type ValuedFacts } from './usd-value.js';
import { findVenue } from '@countersign/venues/venue-catalogue.js';
import type { Rule, User } from '../state/state.js';

/** The share of a request in the limit of the rule that allows it. */
export interface LimitClaim {
  /** Names the count that it belongs to: SHA-256, hex. */
  readonly bucket: string;
  /** Decimal string, in the unit of the limit. */
  readonly amount: string;
  /** Decimal string: the most that the window may hold, this claim included. */
  readonly limit: string;
  readonly windowMs: number;
}

/** What whoever counts knows of a limit that a request would pass. Others may have used more of it. */
export interface LimitRoom {
  /** Decimal string: no more than this is left. */
  readonly left: string;
  /** Seconds before which there is no room for the request; absent if that is not known. */
  readonly notBeforeS?: number | undefined;
}

/** Buckets whose limit a request would pass, found by whoever counts. */
export type ReachedLimits = ReadonlyMap<string, LimitRoom>;

export const NO_LIMIT_REACHED: ReachedLimits = new Map();

/** Why a limit lets no more pass, for whoever asked: see {@link secondsUntilRoom}. */
function fullText(claim: LimitClaim, { unit, windowS }: VelocityLimit, room?: LimitRoom): string {
  const of = `${claim.amount} asked for, ${claim.limit} ${unit} allowed in ${windowS} s`;
  if (room === undefined) return `${of}: it is more than the whole limit`;
  const until = room.notBeforeS === undefined ? '' : `, room in ${room.notBeforeS} s or later`;
  return `${of}, at most ${room.left} left${until}`;
}

const ROOM = /: velocity: [^;]*, at most [\d.]+ left(?:, room in (\d{1,7}) s or later)?(?:;|$)/g;

/** Of a refusal's text: whether a limit was reached, and when one that was has room at the earliest. */
export function reachedLimitIn(text: string): { readonly retryAfterS?: number } | undefined {
  const found = [...text.matchAll(ROOM)];
  if (found.length === 0) return undefined;
  const seconds = found.flatMap(([, after]) => (after === undefined ? [] : [Number(after)]));
  return seconds.length === 0 ? {} : { retryAfterS: Math.max(1, Math.min(...seconds)) };
}

/** The facts of a request that limits look at. */
export interface CountedFacts extends ValuedFacts {
  readonly initiator: Pick<User, 'id'>;
  readonly keyId?: string | undefined;
  readonly walletId?: string | undefined;
}

/** The result for the velocity of one rule. `claim`: absent for a rule without one. */
export type VelocityTest =
  | { readonly result: 'holds'; readonly claim?: LimitClaim }
  /** `because`: how far the limit is used, where it is. */
  | { readonly result: 'fails'; readonly because?: string }
  | { readonly result: 'error'; readonly reason: string };

/**
 * Holds unless the limit is known to be reached. If the request does not carry what the limit counts, it does not
 * match. If it does and nobody can count it, that is an error, which denies the request. `groupId`: the security group
 * of the rule.
 */
export function testVelocity(
  { id, when: { velocity, assets } }: Pick<Rule, 'id' | 'when'>,
  groupId: string,
  facts: CountedFacts,
  reached: ReachedLimits,
): VelocityTest {
  if (velocity === undefined) return { result: 'holds' };
  const subject = subjectOf(velocity, groupId, facts);
  if (subject === undefined) {
    return { result: 'error', reason: `the request has no ${velocity.per} to count it for` };
  }
  const counted =
    velocity.unit === 'usd'
      ? countValue(usdValueOf(facts))
      : countRequest(velocity.unit, assets, facts);
  if (counted.result !== 'counted') return counted;
  const claim: LimitClaim = {
    bucket: bucketOf(id, velocity, subject),
    amount: counted.amount,
    limit: velocity.limit,
    windowMs: velocity.windowS * 1_000,
  };
  const room = reached.get(claim.bucket);
  const isReached = room !== undefined || compareDecimals(claim.amount, claim.limit) > 0;
  return isReached
    ? { result: 'fails', because: fullText(claim, velocity, room) }
    : { result: 'holds', claim };
}

function subjectOf(
  { per }: VelocityLimit,
  groupId: string,
  { initiator, keyId, walletId }: CountedFacts,
): string | undefined {
  return { key: keyId, wallet: walletId, group: groupId, initiator: initiator.id }[per];
}

type Counted =
  | { readonly result: 'counted'; readonly amount: string }
  | { readonly result: 'fails' }
  | { readonly result: 'error'; readonly reason: string };

/** A request that moves nothing matches no limit on worth. */
function countValue(valued: UsdValue): Counted {
  switch (valued.result) {
    case 'valued':
      return { result: 'counted', amount: valued.value };
    case 'none':
      return { result: 'fails' };
    default:
      return { result: 'error', reason: valued.reason };
  }
}

function countRequest(
  unit: Exclude<VelocityUnit, 'usd'>,
  assets: readonly string[] | undefined,
  { venue, transaction }: ValuedFacts,
): Counted {
  if (unit === 'count') return { result: 'counted', amount: '1' };
  if (venue !== undefined) return countVenueRequest(unit, venue);
  return unit === 'amount' && transaction !== undefined
    ? countMoved(amountMoved(assets, transaction))
    : { result: 'fails' };
}

function countMoved(moved: Moved): Counted {
  switch (moved.result) {
    case 'moved':
      return { result: 'counted', amount: moved.amount };
    case 'none':
      return { result: 'fails' };
    case 'error':
      return moved;
  }
}

/** A batch of orders is one request with the sum of their amounts: none of them may count something else. */
function countVenueRequest(unit: 'amount' | 'quote_amount', venue: VenueFacts): Counted {
  const unbindable = findVenue(venue.venueId)?.unbindable(unit);
  if (unbindable !== undefined) return { result: 'error', reason: unbindable };
  const sizes = unit === 'amount' ? venue.amounts : venue.quoteAmounts;
  const stated = venue.amounts.length + venue.quoteAmounts.length + venue.contracts.length;
  if (venue.undecidable.includes('amount') || stated > sizes.length || !sizes.every(isDecimal)) {
    return { result: 'error', reason: `this request's ${unit} cannot be counted` };
  }
  if (sizes.length === 0) return { result: 'fails' };
  try {
    return { result: 'counted', amount: sumDecimals(sizes) };
  } catch {
    return { result: 'error', reason: `this request's ${unit} is too large to be counted` };
  }
}

/** A rule that changes its unit, window or subject begins a new count. */
function bucketOf(ruleId: string, { unit, windowS, per }: VelocityLimit, subject: string): string {
  const name = new ByteWriter().field('countersign limit v1').field(ruleId).field(unit);
  return toHex(sha256(name.u32(windowS).field(per).field(subject).bytes()));
}
