/**
 * The lead's side of one-round signing. It makes nonce commitments ahead and lends them to a partner, who names one
 * with each contribution. The nonces behind them stay in the threads' memory.
 *
 * Each party has a third of the slots, so that its loans never take the place of another's. How much it is lent follows
 * how much it uses: asking in a loop has nothing made for it.
 */
import type { Bytes } from '@countersign/core/bytes.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { replicaId, type Replica } from '@countersign/runtime/jobs/replica.js';
import { MAX_COMMITMENTS, type LentCommitment } from '../channel/messages.js';
import { TokenBucket } from '@countersign/runtime/process/token-bucket.js';
import type { ThreadPools } from '../threads/thread-pools.js';

const COMMITMENT_BYTES = 64;
/** How many are made at a time: a signature waits for these and not for a whole loan. */
const MADE_AT_ONCE = 32;
/** How many a party is lent each second beyond those it used: loans get lost with messages and processes. */
const FORGIVEN_PER_SECOND = 64;
/** How many may be borrowed for each one used: a party whose loans get lost at its pace must not run dry. */
const RETURNED_PER_USE = 1.25;

/** This party's own commitments, for trial signatures. */
export interface TrialCommitments {
  lend(count: number): Promise<LentCommitment[]>;
}

export interface CommitmentLender {
  /**
   * Lends at most `count`. Lends none, and there is nothing to answer, while the borrower's party has enough unused
   * ones or a loan to this replica is being made.
   */
  lend(borrower: Replica, count: number): Promise<LentCommitment[]>;
  /** Whether a slot is one of those that the party borrows from. */
  isLentTo(party: number, slot: number): boolean;
  /** A signature used up a commitment that the party had borrowed. */
  noteUsed(party: number): void;
  readonly trials: TrialCommitments;
}

export function createCommitmentLender(
  threads: Pick<ThreadPools, 'commit'>,
  { slots, self, now }: { readonly slots: number; readonly self: PartyNumber; now(): number },
): CommitmentLender {
  const thirds = new Map<number, SlotThird>(
    PARTY_NUMBERS.map((party) => [party, new SlotThird(party, slots)]),
  );
  const third = (party: PartyNumber) => thirds.get(party)!;
  // half a third at most is lent and unused: what is lent anew takes the place of what is long gone
  const credit = { capacity: third(self).size / 2, perSecond: FORGIVEN_PER_SECOND };
  const credits = new Map<number, TokenBucket>(
    PARTY_NUMBERS.map((party) => [party, new TokenBucket(credit, now)]),
  );
  /** Replicas that a loan is being made for; credits bound their number. */
  const lending = new Set<string>();

  return {
    async lend(borrower, count) {
      const id = replicaId(borrower);
      if (lending.has(id)) return [];
      const { party } = borrower;
      const granted = credits.get(party)!.takeUpTo(Math.min(count, MAX_COMMITMENTS));
      if (granted === 0) return [];
      lending.add(id);
      try {
        return await make(threads, third(party), granted);
      } finally {
        lending.delete(id);
      }
    },
    isLentTo: (party, slot) => thirds.get(party)?.has(slot) ?? false,
    noteUsed: (party) => credits.get(party)?.give(RETURNED_PER_USE),
    trials: { lend: (count) => make(threads, third(self), count) },
  };
}

interface Place {
  readonly slot: number;
  readonly serial: number;
}

/** A party's slots, used in turn: a pair that was lent and never used is overwritten when its turn comes. */
class SlotThird {
  readonly size: number;
  readonly #first: number;
  #serial = 0;

  constructor(party: PartyNumber, slots: number) {
    this.size = Math.floor(slots / PARTY_NUMBERS.length);
    this.#first = PARTY_NUMBERS.indexOf(party) * this.size;
  }

  has(slot: number): boolean {
    return slot >= this.#first && slot < this.#first + this.size;
  }

  next(): Place {
    this.#serial += 1;
    return { slot: this.#first + (this.#serial % this.size), serial: this.#serial };
  }
}

async function make(
  threads: Pick<ThreadPools, 'commit'>,
  third: SlotThird,
  count: number,
): Promise<LentCommitment[]> {
  const places = Array.from({ length: count }, () => third.next());
  const lent: LentCommitment[] = [];
  for (let start = 0; start < places.length; start += MADE_AT_ONCE) {
    const some = places.slice(start, start + MADE_AT_ONCE);
    const packed: Bytes = await threads.commit(some);
    some.forEach((place, index) => {
      const at = index * COMMITMENT_BYTES;
      lent.push({ ...place, commitment: packed.slice(at, at + COMMITMENT_BYTES) });
    });
  }
  return lent;
}
