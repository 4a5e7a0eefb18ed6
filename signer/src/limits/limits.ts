/** A party keeps to velocity limits by its own count first, then by what it and its partner wrote. */
import type { PartyNumber } from '@countersign/core/parties.js';
import type { LimitRoom } from '@countersign/vault/policy/velocity.js';
import type { LimitStore } from './limit-store.js';
import { createOwnCounts, type RequestClaim } from './own-counts.js';

export type SigningRole = 'lead' | 'partner';

export interface Limits {
  /**
   * Returns for each claim whether its limit has room; if so, it counts from now on, and is durable. Rejects when
   * nobody could say: then nothing of the requests may be signed.
   */
  take(
    role: SigningRole,
    partner: PartyNumber,
    claims: readonly RequestClaim[],
  ): Promise<readonly boolean[]>;
  /** What this process knows of the limit of a claim without room: for people, so others' counts are left out. */
  roomOf(claim: RequestClaim): LimitRoom;
  /** Takes back claims for which nothing left this party. Never rejects: what cannot be taken back counts. */
  giveBack(claims: readonly RequestClaim[]): Promise<void>;
}

export function createLimits(
  store: LimitStore,
  now: () => number,
  onError: (error: unknown) => void,
): Limits {
  const own = createOwnCounts();

  async function giveBack(claims: readonly RequestClaim[]): Promise<void> {
    if (claims.length === 0) return;
    for (const claim of claims) own.giveBack(claim);
    try {
      await store.giveBack(claims);
    } catch (error) {
      onError(error);
    }
  }

  /** Nothing is signed for a claim that was not written, so it does not count here either. */
  async function write(
    partner: PartyNumber,
    claims: readonly RequestClaim[],
    at: number,
  ): Promise<readonly RequestClaim[]> {
    const counted = claims.filter((claim) => own.take(claim, at));
    let written: readonly RequestClaim[] = [];
    try {
      written = await keepThose(counted, (each) => store.claim(partner, each, at));
      return written;
    } finally {
      for (const claim of without(counted, written)) own.giveBack(claim);
    }
  }

  return {
    giveBack,
    roomOf: (claim) => own.roomOf(claim, now()),
    async take(role, partner, claims) {
      const at = now();
      const written = await write(partner, claims, at);
      if (role === 'partner') return claims.map((claim) => written.includes(claim));
      let confirmed: readonly RequestClaim[] = [];
      try {
        confirmed = await keepThose(written, (each) => store.confirm(partner, each, at));
      } finally {
        await giveBack(without(written, confirmed));
      }
      return claims.map((claim) => confirmed.includes(claim));
    },
  };
}

async function keepThose(
  claims: readonly RequestClaim[],
  test: (claims: readonly RequestClaim[]) => Promise<readonly boolean[]>,
): Promise<RequestClaim[]> {
  if (claims.length === 0) return [];
  const answers = await test(claims);
  return claims.filter((_, index) => answers[index] === true);
}

function without(all: readonly RequestClaim[], some: readonly RequestClaim[]): RequestClaim[] {
  return all.filter((claim) => !some.includes(claim));
}
