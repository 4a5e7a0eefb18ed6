/** The key generations under way in one thread. */
import {
  discardDkg,
  dkgRoundOne,
  dkgRoundThree,
  dkgRoundTwo,
  type DkgParticipant,
  type DkgResult,
} from '../frost/dkg.js';
import type { RoundOnePackages, RoundTwoPackage } from '../../threads/dkg-packages.js';
import type { Identifier } from '../frost/frost-ed25519.js';
import { SecretSessions } from './secret-sessions.js';

export interface DkgSessions {
  /** Starts a session; its id must not be in use. Returns the package to broadcast. */
  roundOne(sessionId: string): Uint8Array;
  roundTwo(sessionId: string, packages: RoundOnePackages): RoundTwoPackage[];
  /** Ends the session. The caller wipes the result's signing share. */
  roundThree(
    sessionId: string,
    packages: RoundOnePackages,
    received: readonly Uint8Array[],
  ): DkgResult;
}

export function createDkgSessions(options: {
  readonly identifier: Identifier;
  readonly limit: number;
  readonly lifetimeMs: number;
}): DkgSessions {
  const { identifier, limit, lifetimeMs } = options;
  const sessions = new SecretSessions<DkgParticipant>({
    what: 'key generation',
    limit,
    lifetimeMs,
    discard: discardDkg,
  });
  return {
    roundOne(sessionId) {
      sessions.requireRoom(sessionId);
      const { participant, roundOnePackage } = dkgRoundOne(identifier);
      sessions.open(sessionId, participant);
      return roundOnePackage;
    },
    roundTwo(sessionId, packages) {
      return sessions.step(sessionId, (participant) => dkgRoundTwo(participant, packages));
    },
    roundThree(sessionId, packages, received) {
      const result = sessions.step(sessionId, (participant) =>
        dkgRoundThree(participant, packages, received),
      );
      sessions.end(sessionId);
      return result;
    },
  };
}
