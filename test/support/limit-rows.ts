/** What the parties' limits have in one database, in memory: until it forgets, or hides rows from whoever asks. */
import { compareDecimals } from '@countersign/core/decimal.js';
import { sumDecimals } from '@countersign/core/decimal-arithmetic.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { createWaitingLines } from '@countersign/runtime/process/waiting-lines.js';
import type { LimitStore } from '../../signer/src/limits/limit-store.js';
import { createLimits, type Limits } from '../../signer/src/limits/limits.js';
import type { RequestClaim } from '../../signer/src/limits/own-counts.js';

interface Row {
  readonly party: PartyNumber;
  readonly bucket: string;
  readonly requestId: string;
  readonly amount: string;
  readonly at: number;
  holders: number;
}

export interface LimitRows {
  forget(): void;
  storeOf(party: PartyNumber): LimitStore;
  /** One process of the party: what it counted itself is in its memory alone. */
  openLimits(party: PartyNumber, now: () => number): Limits;
}

/** `pause`: before every statement, so that a test can let others come first. */
export function createLimitRows(pause: () => Promise<void> = async () => undefined): LimitRows {
  let rows: Row[] = [];
  // replicas of a party take turns
  const { inLine } = createWaitingLines();

  function hasRoom(pair: readonly PartyNumber[], claim: RequestClaim, at: number): boolean {
    const largest = new Map<string, string>();
    for (const { party, bucket, requestId, amount, at: rowAt, holders } of rows) {
      const counts = holders > 0 && bucket === claim.bucket && rowAt > at - claim.windowMs;
      if (!counts || !pair.includes(party) || requestId === claim.requestId) continue;
      const known = largest.get(requestId) ?? '0';
      largest.set(requestId, compareDecimals(amount, known) > 0 ? amount : known);
    }
    return compareDecimals(sumDecimals([...largest.values(), claim.amount]), claim.limit) <= 0;
  }

  const isOf = (party: PartyNumber, claim: RequestClaim) => (row: Row) =>
    row.party === party && row.bucket === claim.bucket && row.requestId === claim.requestId;

  function write(party: PartyNumber, claim: RequestClaim, at: number): void {
    const known = rows.find(isOf(party, claim));
    rows = rows.filter((row) => row !== known);
    const { bucket, requestId, amount } = claim;
    rows.push({ party, bucket, requestId, amount, at, holders: (known?.holders ?? 0) + 1 });
  }

  function storeOf(party: PartyNumber): LimitStore {
    return {
      claim: (partner, claims, at) =>
        inLine(`${party}`, async () => {
          const answers: boolean[] = [];
          for (const claim of claims) {
            await pause();
            const isAdmitted = hasRoom([party, partner], claim, at);
            // others do not see it before it is committed
            await pause();
            if (isAdmitted) write(party, claim, at);
            answers.push(isAdmitted);
          }
          return answers;
        }),
      async confirm(partner, claims, at) {
        await pause();
        const largerOf = (claim: RequestClaim): RequestClaim => {
          const theirs = rows.find(isOf(partner, claim));
          const isLarger = theirs !== undefined && compareDecimals(theirs.amount, claim.amount) > 0;
          return isLarger && theirs.holders > 0 ? { ...claim, amount: theirs.amount } : claim;
        };
        return claims.map((claim) => hasRoom([party, partner], largerOf(claim), at));
      },
      async giveBack(claims) {
        await pause();
        for (const claim of claims) {
          const row = rows.find(isOf(party, claim));
          if (row !== undefined) row.holders = Math.max(row.holders - 1, 0);
        }
      },
    };
  }

  return {
    forget: () => void (rows = []),
    storeOf,
    openLimits: (party, now) =>
      createLimits(storeOf(party), now, (error) => {
        throw error;
      }),
  };
}
