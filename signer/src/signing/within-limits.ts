/** Puts what a batch would sign against its limits, before anything is computed for it. */
import type { PartyNumber } from '@countersign/core/parties.js';
import type { ReachedLimits } from '@countersign/vault/policy/velocity.js';
import type { Reviewed } from './review-item.js';
import type { Limits, SigningRole } from '../limits/limits.js';
import type { RequestClaim } from '../limits/own-counts.js';

export interface Asked {
  readonly limits: Limits;
  readonly role: SigningRole;
  readonly partner: PartyNumber;
  /** What the item comes to when these limits are reached. */
  review(index: number, reached: ReachedLimits): Reviewed;
}

/** A batch's reviews with what each takes of a limit. */
export interface WithinLimits {
  readonly reviews: readonly Reviewed[];
  /** Gives back what was taken for the items of which nothing leaves this party. */
  giveBackWhere(isNothing: (index: number) => boolean): Promise<void>;
}

/**
 * A rule whose limit is reached does not match, and the next is tried: it may have a limit of its own. Without a limit
 * nothing is asked.
 */
export async function keepWithinLimits(
  { limits, role, partner, review }: Asked,
  first: readonly Reviewed[],
): Promise<WithinLimits> {
  const reviews = [...first];
  const taken = new Map<number, RequestClaim>();
  const reached = new Map<number, Set<string>>();
  let open = [...first.keys()];
  while (open.length > 0) {
    const asked = open.flatMap((index) => claimOf(reviews[index]!, index));
    if (asked.length === 0) break;
    const claims = asked.map(({ claim }) => claim);
    const answers = await limits.take(role, partner, claims);
    asked.forEach(({ index, claim }, at) => {
      if (answers[at] === true) return taken.set(index, claim);
      const beyond = (reached.get(index) ?? new Set()).add(claim.bucket);
      reached.set(index, beyond);
      return (reviews[index] = review(index, beyond));
    });
    open = asked.flatMap(({ index }) => (taken.has(index) ? [] : [index]));
  }
  return {
    reviews,
    giveBackWhere: (isNothing) =>
      limits.giveBack([...taken].flatMap(([index, claim]) => (isNothing(index) ? [claim] : []))),
  };
}

function claimOf(
  { verdict, requestId }: Reviewed,
  index: number,
): { readonly index: number; readonly claim: RequestClaim }[] {
  if (verdict.kind !== 'ready' || verdict.signing.claim === undefined) return [];
  return [{ index, claim: { ...verdict.signing.claim, requestId } }];
}
