import { describe, expect, it } from '@jest/globals';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import { choosePair, chooseSteadyPair, type Choice } from './choose-pair.js';
import type { BreakerState } from './pair-breakers.js';

const [one, two, three] = [startReplica(1, 'a'), startReplica(2, 'a'), startReplica(3, 'a')];
const oneB = startReplica(1, 'b');

const candidatesOf = (alive: readonly Replica[], newcomer?: Replica) =>
  PARTY_NUMBERS.flatMap((party) => {
    const replicas = alive.filter((replica) => replica.party === party);
    const own = newcomer?.party === party ? newcomer : undefined;
    return replicas.length === 0 ? [] : [{ party, replicas, newcomer: own }];
  });

/** Pairs by their parties, `12` for 1 and 2; the others are good. */
const standingsOf =
  (breakers: Record<string, BreakerState>) =>
  (a: PartyNumber, b: PartyNumber): BreakerState =>
    breakers[[Math.min(a, b), Math.max(a, b)].join('')] ?? 'closed';

function turns(
  count: number,
  alive: readonly Replica[],
  breakers: Record<string, BreakerState> = {},
  newcomer?: Replica,
  mayTry = true,
): (Choice | undefined)[] {
  const candidates = candidatesOf(alive, newcomer);
  const breaker = standingsOf(breakers);
  return Array.from({ length: count }, (_, turn) =>
    choosePair({ candidates, breaker, turn, mayTry }),
  );
}

/** How often each pair, as lead and partner, was chosen. */
function tally(pairs: readonly (Choice | undefined)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const pair of pairs) {
    const name = `${pair!.lead.party}${pair!.lead.name} ${pair!.partner.party}${pair!.partner.name}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

const trialsOf = (pairs: readonly (Choice | undefined)[]) => [
  ...new Set(pairs.map((pair) => pair!.trial)),
];

describe('the pair that signs', () => {
  it('is of two parties, and none while fewer are alive', () => {
    expect(turns(1, [])).toEqual([undefined]);
    expect(turns(1, [one, oneB])).toEqual([undefined]);
    for (const pair of turns(12, [one, oneB, two])) {
      expect(pair!.lead.party).not.toBe(pair!.partner.party);
    }
  });

  it('is none that is to be tried, for a request that a trial may have lost', () => {
    const breakers = { '12': 'half_open', '13': 'open' } as const;
    const pairs = turns(12, [one, two, three], breakers, oneB, false);
    expect(trialsOf(pairs)).toEqual([undefined]);
    expect(Object.keys(tally(pairs)).toSorted()).toEqual(['2a 3a', '3a 2a']);
  });

  it('is every pair of parties in turn, and each leads as often as the other', () => {
    const pairs = turns(12, [one, two, three]);
    expect(tally(pairs)).toEqual({
      '1a 2a': 2,
      '1a 3a': 2,
      '2a 1a': 2,
      '2a 3a': 2,
      '3a 1a': 2,
      '3a 2a': 2,
    });
    expect(trialsOf(pairs)).toEqual([undefined]);
  });

  it('takes the replicas of a party in turn', () => {
    const chosen = turns(12, [one, oneB, two]).flatMap((pair) => [pair!.lead, pair!.partner]);
    expect(chosen.filter((replica) => replica === one)).toHaveLength(6);
    expect(chosen.filter((replica) => replica === oneB)).toHaveLength(6);
  });

  it('is none that is left out while another is good', () => {
    const out = { '13': 'open', '23': 'open' } as const;
    expect(tally(turns(12, [one, two, three], out))).toEqual({ '1a 2a': 6, '2a 1a': 6 });
    expect(tally(turns(12, [one, two, three], { '12': 'open' }))).toEqual({
      '1a 3a': 3,
      '2a 3a': 3,
      '3a 1a': 3,
      '3a 2a': 3,
    });
  });

  it('is one that is to be tried, as a trial, while another is good', () => {
    const pairs = turns(12, [one, two, three], { '13': 'half_open', '23': 'open' });
    expect(tally(pairs)).toEqual({ '1a 3a': 6, '3a 1a': 6 });
    expect(trialsOf(pairs)).toEqual(['pair']);
  });

  it('is any where none is good, and no trial: a signature is tried all the same', () => {
    const pairs = turns(12, [one, two], { '12': 'open' });
    expect(tally(pairs)).toEqual({ '1a 2a': 6, '2a 1a': 6 });
    expect(trialsOf(pairs)).toEqual([undefined]);
    const all = { '12': 'open', '13': 'half_open', '23': 'open' } as const;
    expect(tally(turns(12, [one, two, three], all))).toEqual({ '1a 3a': 6, '3a 1a': 6 });
  });

  it('has a newcomer lead that is to be tried, with a partner that is none', () => {
    const pairs = turns(3, [one, two, three], {}, oneB);
    expect(tally(pairs)).toEqual({ '1b 2a': 3 });
    expect(trialsOf(pairs)).toEqual(['lead']);
  });
});

describe('the steady pair of a hash bucket', () => {
  const BUCKETS = Array.from({ length: 30 }, (_, index) =>
    `0000000${index.toString(16)}`.slice(-8),
  );
  const steady = (
    hashBucket: string,
    tries = 0,
    alive: readonly Replica[] = [one, oneB, two, three],
    breakers: Record<string, BreakerState> = {},
  ) => {
    const choosing = { candidates: candidatesOf(alive), breaker: standingsOf(breakers) };
    return chooseSteadyPair(choosing, { hashBucket, tries });
  };

  it('is the same each time, and of all hash buckets every party is as often the partner', () => {
    for (const hashBucket of BUCKETS) expect(steady(hashBucket)).toEqual(steady(hashBucket));
    const partners = BUCKETS.map((hashBucket) => steady(hashBucket)!.partner.party);
    expect(PARTY_NUMBERS.map((party) => partners.filter((by) => by === party).length)).toEqual([
      10, 10, 10,
    ]);
  });

  it('has after a try in vain the same partner with the other lead, and then the next partner', () => {
    for (const hashBucket of BUCKETS) {
      const [first, second, third] = [0, 1, 2].map((tries) => steady(hashBucket, tries)!);
      expect(second!.partner.party).toBe(first!.partner.party);
      expect(second!.lead.party).not.toBe(first!.lead.party);
      expect(third!.partner.party).not.toBe(first!.partner.party);
    }
  });

  it('is one that is good, where there is one, and never a trial', () => {
    for (const hashBucket of BUCKETS) {
      const pair = steady(hashBucket, 0, [one, two, three], {
        '12': 'half_open',
        '23': 'open',
      });
      expect(new Set([pair!.lead.party, pair!.partner.party])).toEqual(new Set([1, 3]));
      expect(steady(hashBucket, 0, [one, two], { '12': 'open' })!.trial).toBeUndefined();
    }
  });

  it('is of two parties, and none while fewer are alive', () => {
    expect(steady(BUCKETS[0]!, 0, [one, oneB])).toBeUndefined();
    for (const pair of BUCKETS.map((hashBucket) => steady(hashBucket, 0, [one, oneB, two]))) {
      expect(pair!.lead.party).not.toBe(pair!.partner.party);
    }
  });
});
