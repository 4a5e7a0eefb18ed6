/** Decides what one request takes of limits where several vault states decide about it. Pure. */
import { compareDecimals } from '@countersign/core/decimal.js';
import type { LimitClaim } from '@countersign/vault/policy/velocity.js';

/** Returns one claim for each count: the largest amount against the lowest limit, whichever state names them. */
export function tightestClaims(claims: readonly LimitClaim[]): readonly LimitClaim[] {
  if (claims.length < 2) return claims;
  const tightest = new Map<string, LimitClaim>();
  for (const claim of claims) {
    const known = tightest.get(claim.bucket) ?? claim;
    const amount = compareDecimals(claim.amount, known.amount) > 0 ? claim.amount : known.amount;
    const limit = compareDecimals(claim.limit, known.limit) < 0 ? claim.limit : known.limit;
    tightest.set(claim.bucket, { ...known, amount, limit });
  }
  return [...tightest.values()];
}

/** Whether what was claimed counts at least as much as this claim would. */
export function isClaimed(made: readonly LimitClaim[], claim: LimitClaim): boolean {
  return made.some(
    ({ bucket, amount, limit }) =>
      bucket === claim.bucket &&
      compareDecimals(amount, claim.amount) >= 0 &&
      compareDecimals(limit, claim.limit) <= 0,
  );
}
