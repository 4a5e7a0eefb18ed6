/** Chooses whom to ask for a signature. */
import { isSameReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { BreakerState } from './pair-breakers.js';
import type { Candidates } from './seen-replicas.js';

/** Replicas of two parties: the one that leads the signature, and the one that signs with it. */
export interface Pair {
  readonly lead: Replica;
  readonly partner: Replica;
}

/**
 * `trial`: whether this tries a pair that failed, or a lead that has never answered and may not exist. A trial gets a
 * single request.
 */
export interface Choice extends Pair {
  readonly trial: 'pair' | 'lead' | undefined;
}

/** `breaker`: the state of the circuit breaker between two parties. */
export interface Choosing {
  readonly candidates: readonly Candidates[];
  breaker(a: PartyNumber, b: PartyNumber): BreakerState;
  readonly turn: number;
  /** Whether a pair or a lead that needs a trial may be chosen. */
  readonly mayTry: boolean;
}

/** Requests that want the same pair each time; a pair changes with `tries`. */
export interface Steady {
  /** The bucket that they share; its first eight digits, hex, determine the pair. */
  readonly hashBucket: string;
  readonly tries: number;
  /** Whether one of them may go to a pair or a lead that needs a trial. */
  readonly mayTry: boolean;
}

type Places = readonly [lead: Candidates, partner: Candidates];

/**
 * Two replicas of two parties; undefined with fewer than two parties alive. Successive turns go through pairs of
 * parties, leads, partners and replicas evenly. Pairs whose breaker is open are chosen only if there are no others.
 */
export function choosePair({ candidates, breaker, turn, mayTry }: Choosing): Choice | undefined {
  const pairs = candidates.flatMap((lead) =>
    candidates.filter((partner) => partner !== lead).map((partner): Places => [lead, partner]),
  );
  const of = (wanted: BreakerState) =>
    pairs.filter(([lead, partner]) => breaker(lead.party, partner.party) === wanted);
  const good = of('closed');
  const due = good.length === 0 || !mayTry ? [] : of('half_open');
  if (due.length > 0) return { ...replicasOf(due, turn), trial: 'pair' };
  const [pool] = [good, of('half_open'), pairs].filter(({ length }) => length > 0);
  if (pool === undefined) return undefined;
  const newcomer = mayTry ? pool.find(([lead]) => lead.newcomer !== undefined) : undefined;
  if (newcomer === undefined) return { ...replicasOf(pool, turn), trial: undefined };
  const { partner } = replicasOf([newcomer], turn);
  return { lead: newcomer[0].newcomer!, partner, trial: 'lead' };
}

/**
 * Always chooses the same pair for a hash bucket while its parties live. After a try without an outcome it takes the
 * same partner with the other lead, and then the next partner. These requests are never used for a trial.
 */
export function chooseSteadyPair(
  { candidates, breaker }: Pick<Choosing, 'candidates' | 'breaker'>,
  { hashBucket, tries }: Pick<Steady, 'hashBucket' | 'tries'>,
): Choice | undefined {
  const pairs = candidates.flatMap((partner) =>
    candidates.filter((lead) => lead !== partner).map((lead): Places => [lead, partner]),
  );
  if (pairs.length === 0) return undefined;
  const seed = Number.parseInt(hashBucket.slice(0, 8), 16);
  const first = (seed % candidates.length) * (candidates.length - 1) + tries;
  const inTurn = pairs.map((_, index) => pairs[(first + index) % pairs.length]!);
  const isGood = ([lead, partner]: Places) => breaker(lead.party, partner.party) === 'closed';
  const [lead, partner] = inTurn.find(isGood) ?? inTurn[0]!;
  const replicaOf = ({ replicas }: Candidates) => replicas[(seed + tries) % replicas.length]!;
  return { lead: replicaOf(lead), partner: replicaOf(partner), trial: undefined };
}

/** The same replicas in the same roles. */
export function isSamePair(a: Pair, b: Pair | undefined): boolean {
  return b !== undefined && isSameReplica(a.lead, b.lead) && isSameReplica(a.partner, b.partner);
}

function replicasOf(pool: readonly Places[], turn: number): Pair {
  const [lead, partner] = pool[turn % pool.length]!;
  const round = Math.floor(turn / pool.length);
  return {
    lead: lead.replicas[round % lead.replicas.length]!,
    partner: partner.replicas[round % partner.replicas.length]!,
  };
}
