/**
 * Holds the key generations under way in one thread. Their secret state lives here and nowhere else, so every round of
 * a session must reach the same thread. A restart ends its sessions, and the parties begin anew.
 */
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

/** A round of a session that is unknown, finished, failed or out of time, or one session too many. */
export class DkgSessionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DkgSessionError';
  }
}

interface Session {
  readonly participant: DkgParticipant;
  readonly expiry: NodeJS.Timeout;
}

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

/**
 * `limit` bounds how many sessions are open at once, since each holds secrets and whoever can start a ceremony can
 * leave it; `lifetimeMs` bounds how long. A session ends with its first failed round: participants who went on after a
 * refusal would be probing one polynomial.
 */
export function createDkgSessions(options: {
  readonly identifier: Identifier;
  readonly limit: number;
  readonly lifetimeMs: number;
}): DkgSessions {
  const sessions = new Map<string, Session>();

  function end(sessionId: string): void {
    const session = sessions.get(sessionId);
    if (session === undefined) return;
    clearTimeout(session.expiry);
    sessions.delete(sessionId);
    discardDkg(session.participant);
  }

  function step<T>(sessionId: string, round: (participant: DkgParticipant) => T): T {
    const session = sessions.get(sessionId);
    if (session === undefined) {
      throw new DkgSessionError(`key generation ${sessionId} is not under way in this thread`);
    }
    try {
      return round(session.participant);
    } catch (error) {
      end(sessionId);
      throw error;
    }
  }

  return {
    roundOne(sessionId) {
      requireRoom(sessions, sessionId, options.limit);
      const { participant, roundOnePackage } = dkgRoundOne(options.identifier);
      const expiry = setTimeout(() => end(sessionId), options.lifetimeMs);
      expiry.unref();
      sessions.set(sessionId, { participant, expiry });
      return roundOnePackage;
    },
    roundTwo(sessionId, packages) {
      return step(sessionId, (participant) => dkgRoundTwo(participant, packages));
    },
    roundThree(sessionId, packages, received) {
      const result = step(sessionId, (participant) =>
        dkgRoundThree(participant, packages, received),
      );
      end(sessionId);
      return result;
    },
  };
}

function requireRoom(
  sessions: ReadonlyMap<string, Session>,
  sessionId: string,
  limit: number,
): void {
  if (sessions.has(sessionId)) {
    throw new DkgSessionError(`key generation ${sessionId} is already under way`);
  }
  if (sessions.size >= limit) {
    throw new DkgSessionError(`${limit} key generations are under way already`);
  }
}
