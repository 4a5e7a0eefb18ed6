/**
 * FROST distributed key generation as one party takes part in it. The maths is in the threads; this brings the packages
 * together.
 *
 * Its end holds it together, not this protocol. Each party attests the group key and a hash of everything that was
 * broadcast. The ledger's fold makes the key active only when all three say the same. A party that told the others
 * different things gets no key.
 */
import type { CompletedShare } from '../threads/thread-tasks.js';
import type { ThreadPools } from '../threads/thread-pools.js';
import { KEY_VERSION } from '../threads/sealed-share.js';
import { otherParties, type CeremonyRun } from './ceremony-run.js';

export async function runFrostCeremony(
  threads: Pick<ThreadPools, 'dkgRound1' | 'dkgRound2' | 'dkgRound3'>,
  { self, session, keyId, inbox, send }: CeremonyRun,
): Promise<CompletedShare> {
  const own = await threads.dkgRound1({ sessionId: session });
  await Promise.all(otherParties(self.party).map((party) => send(party, 'round1', own)));
  const firsts = new Map(await inbox.collect('round1')).set(self.party, own);
  const roundOnePackages = [firsts.get(1)!, firsts.get(2)!, firsts.get(3)!] as const;

  const secrets = await threads.dkgRound2({ sessionId: session, roundOnePackages });
  await Promise.all(secrets.map(({ recipient, bytes }) => send(recipient, 'round2', bytes)));
  const seconds = await inbox.collect('round2');
  return threads.dkgRound3({
    sessionId: session,
    roundOnePackages,
    roundTwoPackages: [...seconds.values()],
    keyId,
    version: KEY_VERSION,
  });
}
