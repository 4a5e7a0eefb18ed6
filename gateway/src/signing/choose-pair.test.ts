import { describe, expect, it } from '@jest/globals';
import { startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import { choosePair, type Pair } from './choose-pair.js';

const [one, two, three] = [startReplica(1, 'a'), startReplica(2, 'a'), startReplica(3, 'a')];
const oneB = startReplica(1, 'b');
const nobody = () => false;

function turns(
  count: number,
  alive: readonly Replica[],
  isSuspect: (replica: Replica) => boolean = nobody,
): (Pair | undefined)[] {
  return Array.from({ length: count }, (_, turn) => choosePair(alive, isSuspect, turn));
}

/** How often each pair, as lead and partner, was chosen. */
function tally(pairs: readonly (Pair | undefined)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const pair of pairs) {
    const name = `${pair!.lead.party}${pair!.lead.name} ${pair!.partner.party}${pair!.partner.name}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

describe('the pair that signs', () => {
  it('is of two parties, and none while fewer are alive', () => {
    expect(choosePair([], nobody, 1)).toBeUndefined();
    expect(choosePair([one, oneB], nobody, 1)).toBeUndefined();
    for (const pair of turns(12, [one, oneB, two])) {
      expect(pair!.lead.party).not.toBe(pair!.partner.party);
    }
  });

  it('is every pair of parties in turn, and each leads as often as the other', () => {
    expect(tally(turns(12, [one, two, three]))).toEqual({
      '1a 2a': 2,
      '1a 3a': 2,
      '2a 1a': 2,
      '2a 3a': 2,
      '3a 1a': 2,
      '3a 2a': 2,
    });
  });

  it('takes the replicas of a party in turn', () => {
    const chosen = turns(12, [one, oneB, two]).flatMap((pair) => [pair!.lead, pair!.partner]);
    expect(chosen.filter((replica) => replica === one)).toHaveLength(6);
    expect(chosen.filter((replica) => replica === oneB)).toHaveLength(6);
  });

  it('has no suspect while there are others: another replica, or another party', () => {
    const suspects = (...some: Replica[]) => some.includes.bind(some);
    for (const pair of turns(12, [one, oneB, two, three], suspects(one))) {
      expect([pair!.lead, pair!.partner]).not.toContain(one);
    }
    expect(tally(turns(12, [one, two, three], suspects(one)))).toEqual({ '2a 3a': 6, '3a 2a': 6 });
  });

  it('has suspects where there is nobody else: a signature is tried all the same', () => {
    expect(tally(turns(12, [one, two], () => true))).toEqual({ '1a 2a': 6, '2a 1a': 6 });
    const pairs = turns(12, [one, two, three], (replica) => replica !== one);
    expect(Object.keys(tally(pairs))).toHaveLength(6);
  });
});
