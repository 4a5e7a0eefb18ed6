/**
 * One run of distributed key generation (FROST DKG) as one party takes part in it. The maths is in the
 * threads; this brings the packages together.
 *
 * What holds it together is not this protocol but its end: each party attests the group key and a hash
 * of everything that was broadcast, and the ledger's fold makes the key active only when all three say
 * the same. A party that showed two faces gets no key.
 */
import { ByteReader, ByteWriter, type Bytes } from '@countersign/shared/bytes.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/shared/ledger/state.js';
import type { Replica } from '@countersign/shared/jobs/sign-batch.js';
import type { DkgRound, PartyMessage } from '../channel/messages.js';
import type { GeneratedFrostKey } from '../threads/frost-tasks.js';
import type { ThreadPools } from '../threads/thread-pools.js';

const ROUND_TIMEOUT_MS = 20_000;
export const KEY_VERSION = 1;

export interface CeremonyDeps {
  readonly self: Replica;
  readonly threads: Pick<ThreadPools, 'dkgRound1' | 'dkgRound2' | 'dkgRound3'>;
  send(to: Replica, message: PartyMessage): Promise<void>;
}

/** The packages of one run, as they arrive from the others. */
export interface CeremonyInbox {
  put(round: DkgRound, from: PartyNumber, payload: Bytes): void;
  /** Both others' packages of a round. Rejects when they do not come in time. */
  collect(round: DkgRound): Promise<ReadonlyMap<PartyNumber, Bytes>>;
}

export function createCeremonyInbox(self: PartyNumber): CeremonyInbox {
  const others = PARTY_NUMBERS.filter((party) => party !== self);
  const received = new Map<DkgRound, Map<PartyNumber, Bytes>>();
  let wake = (): void => undefined;

  function ofRound(round: DkgRound): Map<PartyNumber, Bytes> {
    const known = received.get(round);
    if (known !== undefined) return known;
    const fresh = new Map<PartyNumber, Bytes>();
    received.set(round, fresh);
    return fresh;
  }

  return {
    put(round, from, payload) {
      const packages = ofRound(round);
      // the first word counts: a second one for the same round would be another face
      if (!packages.has(from)) packages.set(from, Buffer.from(payload));
      wake();
    },
    collect(round) {
      const packages = ofRound(round);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`${round} packages did not come in time`)),
          ROUND_TIMEOUT_MS,
        );
        wake = () => {
          if (!others.every((party) => packages.has(party))) return;
          clearTimeout(timer);
          resolve(packages);
        };
        wake();
      });
    },
  };
}

/** Takes part in a run to its end. `replicas` are the three processes that hold it. */
export async function runCeremony(
  deps: CeremonyDeps,
  inbox: CeremonyInbox,
  { session, keyId, replicas }: { session: string; keyId: string; replicas: readonly Replica[] },
): Promise<GeneratedFrostKey> {
  const { self, threads } = deps;
  const others = replicas.filter((replica) => replica.party !== self.party);
  const message = (round: DkgRound, payload: Bytes): PartyMessage => ({
    kind: 'dkg',
    round,
    session,
    keyId,
    payload,
  });

  const own = await threads.dkgRound1({ sessionId: session });
  await Promise.all(others.map((replica) => deps.send(replica, message('round1', own))));
  const firsts = new Map(await inbox.collect('round1')).set(self.party, own);
  const roundOnePackages = [firsts.get(1)!, firsts.get(2)!, firsts.get(3)!] as const;

  const secrets = await threads.dkgRound2({ sessionId: session, roundOnePackages });
  await Promise.all(
    secrets.map(({ recipient, bytes }) => {
      const to = others.find((replica) => replica.party === recipient);
      if (to === undefined) throw new Error(`no replica of party ${recipient}`);
      return deps.send(to, message('round2', bytes));
    }),
  );
  const seconds = await inbox.collect('round2');
  return threads.dkgRound3({
    sessionId: session,
    roundOnePackages,
    roundTwoPackages: [...seconds.values()],
    keyId,
    version: KEY_VERSION,
  });
}

/** The payload of `start`: who holds this run. */
export function encodeReplicas(replicas: readonly Replica[]): Buffer {
  const writer = new ByteWriter();
  for (const { party, name } of replicas) writer.u8(party).field(name);
  return writer.bytes();
}

/** Throws RangeError unless it names one replica of each party, in order. */
export function decodeReplicas(bytes: Bytes): Replica[] {
  const reader = new ByteReader(bytes);
  const replicas = PARTY_NUMBERS.map((party) => {
    if (reader.u8() !== party) throw new RangeError('replicas out of order');
    return { party, name: reader.text() };
  });
  reader.end();
  return replicas;
}
