import { generateKeyPairSync, sign } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import {
  isSignedByParty,
  presenceEntry,
  presenceMessage,
  replicaId,
  startReplica,
  type Replica,
} from '@countersign/runtime/jobs/replica.js';
import { SPOKEN } from '@countersign/runtime/jobs/protocol.js';
import { createPartyChoice, openPresence, type Presence } from './presence.js';
import type { Choice, Steady } from './choose-pair.js';
import { SeenReplicas } from './seen-replicas.js';

const PARTIES = PARTY_NUMBERS.map((party) => startReplica(party, 'a'));

function openChoice() {
  const clock = { now: 1_000_000 };
  const seen = new SeenReplicas(() => true);
  const presence = createPartyChoice(seen, () => clock.now);
  let lookedAt = 0;

  /** Batches for so long, each with what is to be done with its pair; how they were answered, by parties. */
  function run(
    ms: number,
    isAnswered: (choice: Choice) => boolean,
    alive: readonly Replica[] = PARTIES,
    steady?: Steady,
  ) {
    const until = clock.now + ms;
    const counts: Record<string, number> = {};
    while (clock.now < until) {
      if (clock.now - lookedAt >= 500) {
        lookedAt = clock.now;
        seen.look(Object.fromEntries(alive.map((one) => presenceEntry(one, clock.now, false))), {
          now: clock.now,
          elapsed: clock.now,
        });
      }
      const choice = presence.choosePair(steady)!;
      const launchedAt = clock.now;
      const end = isAnswered(choice) ? 'answered' : 'lost';
      clock.now += end === 'answered' ? 20 : 1_500;
      presence.note(choice, { launchedAt, end, isPartnerAtFault: false });
      const name = `${end} ${pairName(choice)}`;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  }

  return { run, clock, presence };
}

const pairName = ({ lead, partner }: Choice) =>
  [lead.party, partner.party].toSorted((a, b) => a - b).join('');
const has = ({ lead, partner }: Choice, ...some: Replica[]) =>
  some.some((one) => [lead, partner].map(replicaId).includes(replicaId(one)));

describe('a party that answers nothing', () => {
  it('is left out of pairs', () => {
    const { run } = openChoice();
    const counts = run(300_000, (choice) => !has(choice, PARTIES[2]!));
    expect(counts['answered 12']).toBeGreaterThan(10_000);
    expect(counts['lost 13']! + counts['lost 23']!).toBeLessThan(25);
  });

  it('is asked again once it answers', () => {
    const { run } = openChoice();
    run(60_000, (choice) => !has(choice, PARTIES[2]!));
    expect(run(200_000, () => true)['answered 13']).toBeGreaterThan(1_000);
  });
});

describe('a hash bucket of requests that want one pair', () => {
  const [one, two] = PARTIES as [Replica, Replica, Replica];
  const hashBucket = { hashBucket: '00000001', tries: 0 };
  const isOut = (choice: Choice) => has(choice, one) && has(choice, two);

  it('has it, and tries what failed where it may: what always wants one pair brings it back', () => {
    const { run } = openChoice();
    const steady = { ...hashBucket, mayTry: true };
    const [first] = Object.keys(run(1_000, () => true, PARTIES, steady));
    expect(first).toBe('answered 12');
    expect(Object.keys(run(10_000, (choice) => !isOut(choice), PARTIES, steady))).toContain(
      'lost 12',
    );
    run(60_000, () => true, PARTIES, steady);
    expect(Object.keys(run(1_000, () => true, PARTIES, steady))).toEqual(['answered 12']);
  });

  it('has it with every other hash bucket that wants it, as often as those were tried', () => {
    const { run, presence } = openChoice();
    run(1_000, () => true);
    const steady = { ...hashBucket, mayTry: true };
    const pair = presence.choosePair(steady)!;
    const others = Array.from({ length: 6 }, (_, at) => ({
      ...steady,
      hashBucket: `0000000${at}`,
    }));
    expect(others.map((other) => presence.isPairOf(pair, other))).toEqual([
      false,
      true,
      false,
      false,
      true,
      false,
    ]);
    expect(presence.isPairOf(pair, { ...steady, tries: 1 })).toBe(false);
    expect(presence.isPairOf({ ...pair, lead: pair.partner }, steady)).toBe(false);
  });

  it('tries nothing where it may not', () => {
    const { run } = openChoice();
    const steady = { ...hashBucket, mayTry: false };
    run(1_600, () => false, PARTIES, steady);
    expect(run(600_000, (choice) => !isOut(choice), PARTIES, steady)).not.toHaveProperty('lost 12');
  });
});

describe('invented replicas of a party', () => {
  it('hardly keep anybody waiting', () => {
    const { run } = openChoice();
    run(5_000, () => true);
    const invented = Array.from({ length: 30 }, (_, index) => startReplica(2, `fake-${index}`));
    const counts = run(200_000, (choice) => !has(choice, ...invented), [...PARTIES, ...invented]);
    const lost = Object.entries(counts).filter(([name]) => name.startsWith('lost'));
    expect(lost.reduce((sum, [, count]) => sum + count, 0)).toBeLessThan(20);
    for (const pair of ['12', '13', '23'])
      expect(counts[`answered ${pair}`]).toBeGreaterThan(2_000);
  });
});

describe('what Redis says of a replica', () => {
  const GENESIS = 'ab'.repeat(32);
  const keys = PARTY_NUMBERS.map(() => generateKeyPairSync('ed25519'));
  const parties = PARTY_NUMBERS.map((party, index) => ({
    party,
    identityPublicKey: Buffer.from(
      keys[index]!.publicKey.export({ format: 'jwk' }).x!,
      'base64url',
    ).toString('base64'),
    exchangePublicKey: '',
  }));
  const replica = PARTIES[1]!;
  const signedBy = (index: number, message = presenceMessage(replica, true, GENESIS)) =>
    sign(null, message, keys[index]!.privateKey);
  const isGenuine = (signature: Buffer | undefined, change = {}) =>
    isSignedByParty(
      {
        replica,
        isPrimary: true,
        spoken: SPOKEN,
        trouble: undefined,
        seenAt: 1,
        signature,
        ...change,
      },
      { parties, genesisHash: GENESIS },
    );

  it('counts with the signature of its party, and of no other', () => {
    expect(isGenuine(signedBy(1))).toBe(true);
    expect(isGenuine(signedBy(0))).toBe(false);
    expect(isGenuine(signedBy(2))).toBe(false);
    expect(isGenuine(undefined)).toBe(false);
  });

  it('counts for that process, role, vault and versions alone', () => {
    expect(isGenuine(signedBy(1), { isPrimary: false })).toBe(false);
    expect(isGenuine(signedBy(1), { spoken: { ...SPOKEN, oldest: 2 } })).toBe(false);
    expect(isGenuine(signedBy(1), { replica: startReplica(2, 'a') })).toBe(false);
    expect(isGenuine(signedBy(1, presenceMessage(replica, true, 'cd'.repeat(32))))).toBe(false);
  });
});

describe('a gateway that starts', () => {
  const genesisHash = 'ab'.repeat(32);
  const keys = PARTY_NUMBERS.map(() => generateKeyPairSync('ed25519'));
  const parties = PARTY_NUMBERS.map((party, index) => {
    const { x } = keys[index]!.publicKey.export({ format: 'jwk' });
    const identityPublicKey = Buffer.from(x!, 'base64url').toString('base64');
    return { party, identityPublicKey, exchangePublicKey: '' };
  });
  let said: Record<string, string>;
  let looks: number;
  let presence: Presence;

  function announce(index: number): void {
    const replica = PARTIES[index]!;
    const message = presenceMessage(replica, true, genesisHash);
    const signature = sign(null, message, keys[index]!.privateKey);
    const [field, value] = presenceEntry(replica, Date.now(), true, signature);
    said[field] = value;
  }
  const alive = () => PARTY_NUMBERS.filter((party) => presence.isAlive(party));
  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  beforeEach(() => {
    jest.useFakeTimers();
    said = {};
    looks = 0;
    const hgetall = async () => {
      looks += 1;
      return { ...said };
    };
    presence = openPresence({
      redis: { hgetall },
      now: Date.now,
      elapsed: () => performance.now(),
      vault: () => ({ parties, genesisHash }),
      onChange: () => undefined,
    });
  });

  afterEach(() => {
    presence.stop();
    jest.useRealTimers();
  });

  it('sees the last of the parties soon after its word', async () => {
    announce(0);
    announce(1);
    await pass(220);
    announce(2);
    expect(alive()).toEqual([1, 2]);
    await pass(50);
    expect(alive()).toEqual([1, 2, 3]);
  });

  it('looks twice a second once all are there', async () => {
    [0, 1, 2].forEach(announce);
    await pass(100);
    looks = 0;
    await pass(2_000);
    expect(looks).toBe(4);
  });

  it('looks twice a second after a while, though a party stays away', async () => {
    announce(0);
    await pass(10_000);
    looks = 0;
    await pass(5_000);
    expect(looks).toBe(10);
  });

  it('tries a pair that was left out again, though its clock is set back', () => {
    const [lead, partner] = PARTIES as [Replica, Replica];
    const note = { launchedAt: performance.now(), end: 'lost', isPartnerAtFault: false } as const;
    presence.note({ lead, partner, trial: undefined }, note);
    const breakers = () => presence.pairs.map(({ breaker }) => breaker);
    expect(breakers()).toEqual(['open', 'closed', 'closed']);
    jest.setSystemTime(Date.now() - 3_600_000);
    jest.advanceTimersByTime(3_000);
    expect(breakers()).toEqual(['half_open', 'closed', 'closed']);
  });

  it('looks no more once it has stopped', async () => {
    await pass(100);
    presence.stop();
    looks = 0;
    await pass(2_000);
    expect(looks).toBe(0);
  });
});
