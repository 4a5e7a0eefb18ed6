import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { PartyNumber } from '@countersign/shared/ledger/state.js';
import type { Replica } from '@countersign/shared/jobs/sign-batch.js';
import type { GeneratedFrostKey } from '../threads/frost-tasks.js';
import {
  createCeremonyInbox,
  decodeReplicas,
  encodeReplicas,
  runCeremony,
  type CeremonyDeps,
  type CeremonyInbox,
} from './ceremony.js';

const REPLICAS: readonly Replica[] = [
  { party: 1, name: 'a' },
  { party: 2, name: 'b' },
  { party: 3, name: 'c' },
];
const bytes = (text: string) => Buffer.from(text);

/** What a wait comes to when nothing more happens. */
async function failureOf(promise: Promise<unknown>): Promise<string> {
  const [result] = await Promise.all([
    Promise.allSettled([promise]),
    jest.advanceTimersByTimeAsync(20_001),
  ]);
  return result[0].status === 'rejected' ? String(result[0].reason) : 'none';
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('the inbox of a run', () => {
  it('gives both packages of a round, whether they came before or after it was asked', async () => {
    const inbox = createCeremonyInbox(1);
    inbox.put('round1', 2, bytes('two'));
    const collected = inbox.collect('round1');
    inbox.put('round1', 3, bytes('three'));
    expect(new Map(await collected)).toEqual(
      new Map([
        [2, bytes('two')],
        [3, bytes('three')],
      ]),
    );
  });

  it('keeps the rounds apart', async () => {
    const inbox = createCeremonyInbox(1);
    inbox.put('round2', 2, bytes('early'));
    inbox.put('round2', 3, bytes('early'));
    expect(await failureOf(inbox.collect('round1'))).toContain('round1');
    expect((await inbox.collect('round2')).size).toBe(2);
  });

  it('counts the first word of a party: a second one changes nothing', async () => {
    const inbox = createCeremonyInbox(1);
    inbox.put('round1', 2, bytes('one face'));
    inbox.put('round1', 2, bytes('another face'));
    inbox.put('round1', 3, bytes('three'));
    expect((await inbox.collect('round1')).get(2)).toEqual(bytes('one face'));
  });

  it('keeps a copy: what the sender does with its buffer afterwards is nothing to it', async () => {
    const inbox = createCeremonyInbox(1);
    const payload = bytes('two');
    inbox.put('round1', 2, payload);
    payload.fill(0);
    inbox.put('round1', 3, bytes('three'));
    expect((await inbox.collect('round1')).get(2)).toEqual(bytes('two'));
  });

  it('gives up when one party stays silent, and leaves no timer when none does', async () => {
    const inbox = createCeremonyInbox(1);
    inbox.put('round1', 2, bytes('two'));
    expect(await failureOf(inbox.collect('round1'))).toContain('did not come in time');
    inbox.put('round1', 3, bytes('too late for the first, in time for the next'));
    await inbox.collect('round1');
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('a run', () => {
  interface Party {
    readonly deps: CeremonyDeps;
    readonly inbox: CeremonyInbox;
    readonly heard: string[];
  }

  /** Three parties whose maths only names what went into it. */
  function openParties(isLost: (from: PartyNumber, to: PartyNumber, round: string) => boolean) {
    const parties = new Map<PartyNumber, Party>();
    for (const self of REPLICAS) {
      const heard: string[] = [];
      const inbox = createCeremonyInbox(self.party);
      const deps: CeremonyDeps = {
        self,
        threads: {
          dkgRound1: async () => bytes(`first of ${self.party}`),
          dkgRound2: async ({ roundOnePackages }) => {
            heard.push(roundOnePackages.map(String).join());
            return REPLICAS.filter(({ party }) => party !== self.party).map(({ party }) => ({
              recipient: party,
              bytes: bytes(`secret of ${self.party} for ${party}`),
            }));
          },
          dkgRound3: async ({ roundTwoPackages }) => {
            heard.push(roundTwoPackages.map(String).toSorted().join());
            return { groupPublicKey: bytes('key') } as unknown as GeneratedFrostKey;
          },
        } as CeremonyDeps['threads'],
        async send(to, message) {
          if (message.kind !== 'dkg' || isLost(self.party, to.party, message.round)) return;
          parties.get(to.party)!.inbox.put(message.round, self.party, message.payload);
        },
      };
      parties.set(self.party, { deps, inbox, heard });
    }
    return parties;
  }

  const run = ({ deps, inbox }: Party) =>
    runCeremony(deps, inbox, { session: 's', keyId: 'k', replicas: REPLICAS });

  it('gives each party all first packages in order and only the secrets meant for it', async () => {
    const parties = openParties(() => false);
    await Promise.all([...parties.values()].map(run));
    for (const [party, { heard }] of parties) {
      const others = [1, 2, 3].filter((other) => other !== party);
      expect(heard).toEqual([
        'first of 1,first of 2,first of 3',
        others.map((other) => `secret of ${other} for ${party}`).join(),
      ]);
    }
  });

  it('ends at every party when a package is lost: nobody waits for ever', async () => {
    const parties = openParties((from, to, round) => from === 3 && to === 1 && round === 'round1');
    const ended = Promise.allSettled([...parties.values()].map(run));
    await jest.advanceTimersByTimeAsync(60_000);
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });
});

describe('the replicas that hold a run', () => {
  it('survive the way', () => {
    expect(decodeReplicas(encodeReplicas(REPLICAS))).toEqual(REPLICAS);
  });

  it('are refused unless they are one of each party, in order, and nothing more', () => {
    const [one, two, three] = REPLICAS;
    const bad = [
      [one!, two!],
      [two!, one!, three!],
      [one!, one!, three!],
      [...REPLICAS, one!],
    ];
    for (const replicas of bad) {
      expect(() => decodeReplicas(encodeReplicas(replicas))).toThrow(RangeError);
    }
  });
});
