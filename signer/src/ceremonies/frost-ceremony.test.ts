import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { PartyNumber } from '@countersign/core/parties.js';
import { startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { CompletedShare } from '../threads/thread-tasks.js';
import { createCeremonyInbox } from './ceremony-inbox.js';
import { createRunSender, type CeremonyRun } from './ceremony-run.js';
import { runFrostCeremony } from './frost-ceremony.js';

const REPLICAS: readonly Replica[] = [
  startReplica(1, 'a'),
  startReplica(2, 'b'),
  startReplica(3, 'c'),
];
const bytes = (text: string) => Buffer.from(text);

type Threads = Parameters<typeof runFrostCeremony>[0];

interface Party {
  readonly run: CeremonyRun;
  readonly threads: Threads;
  readonly heard: string[];
}

/** Three parties whose maths only names what went into it. */
function openParties(isLost: (from: PartyNumber, to: PartyNumber, tag: string) => boolean) {
  const parties = new Map<PartyNumber, Party>();
  for (const self of REPLICAS) {
    const heard: string[] = [];
    const common = { session: 's', keyId: 'k', replicas: REPLICAS };
    const run: CeremonyRun = {
      ...common,
      self,
      stockId: '',
      inbox: createCeremonyInbox(self.party),
      signal: new AbortController().signal,
      send: createRunSender(common, async (to, message) => {
        if (message.kind !== 'ceremony' || isLost(self.party, to.party, message.tag)) return;
        parties.get(to.party)!.run.inbox.put(message.tag, self.party, message.payload);
      }),
    };
    const threads: Threads = {
      async dkgRound1({ sessionId }) {
        heard.push(`session ${sessionId}`);
        return bytes(`first of ${self.party}`);
      },
      async dkgRound2({ roundOnePackages }) {
        heard.push(roundOnePackages.map(String).join());
        return REPLICAS.filter(({ party }) => party !== self.party).map(({ party }) => ({
          recipient: party,
          bytes: bytes(`secret of ${self.party} for ${party}`),
        }));
      },
      async dkgRound3({ roundOnePackages, roundTwoPackages, keyId, version }) {
        heard.push(roundOnePackages.map(String).join());
        heard.push(roundTwoPackages.map(String).toSorted().join());
        heard.push(`${keyId} version ${version}`);
        return { publicKey: bytes(`key of ${self.party}`) } as unknown as CompletedShare;
      },
    };
    parties.set(self.party, { run, threads, heard });
  }
  return parties;
}

const perform = ({ threads, run }: Party) => runFrostCeremony(threads, run);

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('a run', () => {
  it('gives each party all first packages in order and only the secrets meant for it', async () => {
    const parties = openParties(() => false);
    const shares = await Promise.all([...parties.values()].map(perform));
    expect(shares.map(({ publicKey }) => String(publicKey))).toEqual([
      'key of 1',
      'key of 2',
      'key of 3',
    ]);
    for (const [party, { heard }] of parties) {
      const others = [1, 2, 3].filter((other) => other !== party);
      expect(heard).toEqual([
        'session s',
        'first of 1,first of 2,first of 3',
        'first of 1,first of 2,first of 3',
        others.map((other) => `secret of ${other} for ${party}`).join(),
        'k version 1',
      ]);
    }
  });

  it.each(['round1', 'round2'])(
    'ends at every party when a package of %s is lost: nobody waits for ever',
    async (lost) => {
      const parties = openParties((from, to, tag) => from === 3 && to === 1 && tag === lost);
      const ended = Promise.allSettled([...parties.values()].map(perform));
      await jest.advanceTimersByTimeAsync(60_000);
      const statuses = (await ended).map(({ status }) => status);
      // a lost secret is noticed by the one that it was for; the others have all they need
      const others = lost === 'round1' ? 'rejected' : 'fulfilled';
      expect(statuses).toEqual(['rejected', others, others]);
    },
  );
});
