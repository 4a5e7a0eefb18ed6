/**
 * Records how well each pair of parties works, and leaves out a pair that does not answer while another works. So
 * whoever spoils one pair keeps nobody from signing with the third party.
 *
 * This accuses nobody. A batch that comes to nothing says that one of two parties failed, but not which. An honest one
 * also fails like that when it is slow, restarted or cut off.
 */
import type { PartyNumber } from '@countersign/core/parties.js';

/** How a batch ended: all answered, much of it to be tried again, or no answer in time. */
export type BatchEnd = 'answered' | 'retried' | 'lost';

export interface BatchNote {
  /** When it left, ms. */
  readonly launchedAt: number;
  readonly end: BatchEnd;
  /** Whether its lead says so. */
  readonly isPartnerAtFault: boolean;
}

export type Parties = readonly [PartyNumber, PartyNumber];
export type BreakerState = 'closed' | 'half_open' | 'open';

/** A pair is left out at so many points; a lost batch gives all of them. */
const POINTS_OUT = 4;
const POINTS = { answered: -0.5, slow: 1, retried: 1, lost: POINTS_OUT } as const;
/** An answer is slow if it takes longer than this, ms, and so many times what another pair takes. */
const SLOW_MS = 500;
const SLOW_TIMES = 8;
const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 300_000;
/** A pair that has worked again for so many of its pauses starts with a clean record. */
const PAUSES_UNTIL_FORGIVEN = 10;
/** Another pair counts as working if it answered so shortly before this one did not, ms. */
const RECENT_MS = 10_000;
/** A trial without an answer ends after this, ms. */
const TRIAL_MS = 3_000;

interface PairRecord {
  readonly parties: Parties;
  points: number;
  /** When the pair was left out; undefined while it is not. */
  outSince: number | undefined;
  triedAt: number;
  restoredAt: number;
  pauseMs: number;
  goodAt: number;
  /** Moving mean of its answer times, ms. */
  typicalMs: number | undefined;
  readonly counts: Record<BatchEnd, number>;
}

export interface PairFigures {
  readonly parties: Parties;
  readonly breaker: BreakerState;
  /** Batches since the start. */
  readonly counts: Readonly<Record<BatchEnd, number>>;
  /** Moving mean of its answer times, ms; undefined before the first. */
  readonly typicalMs: number | undefined;
}

export class PairBreakers {
  readonly #pairs: readonly PairRecord[] = (
    [
      [1, 2],
      [1, 3],
      [2, 3],
    ] as const
  ).map(newRecord);

  /** `now`: ms, here and below. */
  breaker(a: PartyNumber, b: PartyNumber, now: number): BreakerState {
    const { outSince, pauseMs, triedAt } = this.#pair(a, b);
    if (outSince === undefined) return 'closed';
    const isTime = now - outSince >= pauseMs && now - triedAt >= TRIAL_MS;
    return isTime ? 'half_open' : 'open';
  }

  /** `now`: ms. */
  pairs(now: number): PairFigures[] {
    return this.#pairs.map(({ parties, counts, typicalMs }) => {
      const breaker = this.breaker(...parties, now);
      return { parties, breaker, counts: { ...counts }, typicalMs };
    });
  }

  /** Notes that a trial leaves for the pair. */
  beginTrial(a: PartyNumber, b: PartyNumber, now: number): void {
    this.#pair(a, b).triedAt = now;
  }

  note(a: PartyNumber, b: PartyNumber, note: BatchNote, now: number): void {
    const pair = this.#pair(a, b);
    pair.counts[note.end] += 1;
    const isOld = pair.outSince !== undefined && note.launchedAt < pair.outSince;
    if (isOld) return; // it left before the pair was left out, for the same cause
    const isSlow = note.end === 'answered' && this.#isSlow(pair, now - note.launchedAt);
    const weight = POINTS[isSlow ? 'slow' : note.end];
    if (weight < 0) return noteGood(pair, note, now);
    pair.points += weight;
    if (pair.outSince === undefined && pair.points < POINTS_OUT) return;
    this.#leaveOut(pair, note, now);
  }

  #leaveOut(pair: PairRecord, { launchedAt }: BatchNote, now: number): void {
    // if no other pair works, the cause is not this pair's own
    const isOwn = this.#others(pair).some(
      ({ outSince, goodAt }) => outSince === undefined && goodAt >= launchedAt - RECENT_MS,
    );
    const isFresh = now - pair.restoredAt >= pair.pauseMs * PAUSES_UNTIL_FORGIVEN;
    const isFirst = pair.outSince === undefined && isFresh;
    if (!isOwn || isFirst) pair.pauseMs = FIRST_PAUSE_MS;
    else pair.pauseMs = Math.min(pair.pauseMs * 2, MAX_PAUSE_MS);
    pair.outSince = now;
    pair.points = 0;
  }

  #isSlow(pair: PairRecord, tookMs: number): boolean {
    const typical = this.#others(pair).flatMap(({ typicalMs }) => typicalMs ?? []);
    return tookMs > SLOW_MS && typical.some((ms) => tookMs > SLOW_TIMES * ms);
  }

  #others(pair: PairRecord): PairRecord[] {
    return this.#pairs.filter((other) => other !== pair);
  }

  #pair(a: PartyNumber, b: PartyNumber): PairRecord {
    const pair = this.#pairs.find(({ parties }) => parties.includes(a) && parties.includes(b));
    if (pair === undefined || a === b) throw new Error('a pair is of two parties');
    return pair;
  }
}

/** Notes that the pair works, or works again. */
function noteGood(pair: PairRecord, { launchedAt }: BatchNote, now: number): void {
  const tookMs = now - launchedAt;
  pair.goodAt = now;
  pair.typicalMs = pair.typicalMs === undefined ? tookMs : pair.typicalMs * 0.9 + tookMs * 0.1;
  pair.points = Math.max(0, pair.points + POINTS.answered);
  if (pair.outSince === undefined) return;
  pair.outSince = undefined;
  pair.restoredAt = now;
}

function newRecord(parties: Parties): PairRecord {
  return {
    parties,
    points: 0,
    outSince: undefined,
    triedAt: -Infinity,
    restoredAt: -Infinity,
    pauseMs: FIRST_PAUSE_MS,
    goodAt: -Infinity,
    typicalMs: undefined,
    counts: { answered: 0, retried: 0, lost: 0 },
  };
}
