/** Counts what a batch would sign against its limits, before anything is computed for it. */
import type { PartyNumber } from '@countersign/core/parties.js';
import type { LimitRoom, ReachedLimits } from '@countersign/vault/policy/velocity.js';
import type { Reviewed } from './review-item.js';
import type { Limits, SigningRole } from '../limits/limits.js';
import type { RequestClaim } from '../limits/own-counts.js';

export interface Asked {
  readonly limits: Limits;
  readonly role: SigningRole;
  readonly partner: PartyNumber;
  /** Reviews the item with these limits reached. */
  review(index: number, reached: ReachedLimits): Reviewed;
}

/** A batch's reviews with what each takes of a limit. */
export interface WithinLimits {
  readonly reviews: readonly Reviewed[];
  /**
   * Does what comes before anything may leave this party: if it fails, all that was taken is given back, and the failure
   * goes on.
   */
  orGiveBack<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Gives back what was taken for the items of which nothing leaves this party. */
  giveBackWhere(isNothing: (index: number) => boolean): Promise<void>;
}

/**
 * A rule whose limit is reached does not match, and the next is tried: it may have a limit of its own. A request that
 * several states decide about needs room in the limits of each, and takes from all of them or none. Without a limit
 * nothing is asked.
 */
export async function keepWithinLimits(
  { limits, role, partner, review }: Asked,
  first: readonly Reviewed[],
): Promise<WithinLimits> {
  const reviews = [...first];
  const taken = new Map<number, readonly RequestClaim[]>();
  const giveBackWhere = (isNothing: (index: number) => boolean) =>
    limits.giveBack([...taken].flatMap(([index, claims]) => (isNothing(index) ? claims : [])));

  async function orGiveBack<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      await giveBackWhere(() => true);
      throw error;
    }
  }

  async function takeWhereRoom(): Promise<void> {
    const reached = new Map<number, ReadonlyMap<string, LimitRoom>>();
    let open = [...first.keys()];
    while (open.length > 0) {
      const asked = open.flatMap((index) => claimsOf(reviews[index]!, index));
      if (asked.length === 0) break;
      const answers = await takeAll(limits, role, partner, asked);
      for (const { index, claims, full } of answers) {
        if (full.length === 0) {
          taken.set(index, claims);
          continue;
        }
        const rooms = full.map((claim) => [claim.bucket, limits.roomOf(claim)] as const);
        const beyond = new Map([...(reached.get(index) ?? []), ...rooms]);
        reached.set(index, beyond);
        reviews[index] = review(index, beyond);
      }
      open = answers.flatMap(({ index }) => (taken.has(index) ? [] : [index]));
    }
  }

  await orGiveBack(takeWhereRoom);
  return { reviews, orGiveBack, giveBackWhere };
}

interface ItemClaims {
  readonly index: number;
  readonly claims: readonly RequestClaim[];
}

/** Returns for each item the claims without room. If there are any, what it took of others is given back at once. */
async function takeAll(
  limits: Limits,
  role: SigningRole,
  partner: PartyNumber,
  asked: readonly ItemClaims[],
): Promise<readonly (ItemClaims & { readonly full: readonly RequestClaim[] })[]> {
  const answers = [
    ...(await limits.take(
      role,
      partner,
      asked.flatMap(({ claims }) => claims),
    )),
  ];
  const answered = asked.map(({ index, claims }) => {
    const hasRoom = answers.splice(0, claims.length);
    const room = claims.filter((_, at) => hasRoom[at] === true);
    const full = claims.filter((claim) => !room.includes(claim));
    return { index, claims, room, full };
  });
  const inVain = answered.flatMap(({ room, full }) => (full.length > 0 ? room : []));
  if (inVain.length > 0) await limits.giveBack(inVain);
  return answered;
}

function claimsOf({ verdict, requestId }: Reviewed, index: number): ItemClaims[] {
  if (verdict.kind !== 'ready' || verdict.claims.length === 0) return [];
  const claims = verdict.claims.map((claim) => ({ ...claim, requestId }));
  return [{ index, claims }];
}
