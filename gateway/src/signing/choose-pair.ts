/** Whom to ask for a signature. */
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';

/** Replicas of two parties: the one that leads the signature, and the one that signs with it. */
export interface Pair {
  readonly lead: Replica;
  readonly partner: Replica;
}

/**
 * Two of those alive, of two parties; undefined with fewer than two parties alive. Successive turns go
 * through replicas, leads and partners evenly. Suspects are chosen only where there are no others.
 */
export function choosePair(
  alive: readonly Replica[],
  isSuspect: (replica: Replica) => boolean,
  turn: number,
): Pair | undefined {
  const candidates = PARTY_NUMBERS.flatMap((party) => {
    const replicas = preferTrusted(
      alive.filter((replica) => replica.party === party),
      1,
      isSuspect,
    );
    return replicas.length === 0 ? [] : [replicas[turn % replicas.length]!];
  });
  if (candidates.length < 2) return undefined;
  const pool = preferTrusted(candidates, 2, isSuspect);
  const lead = pool[turn % pool.length]!;
  const others = pool.filter((replica) => replica !== lead);
  const partner = others[Math.floor(turn / pool.length) % others.length]!;
  return { lead, partner };
}

/** Those that are no suspects, where there are enough of them. */
function preferTrusted(
  replicas: readonly Replica[],
  enough: number,
  isSuspect: (replica: Replica) => boolean,
): readonly Replica[] {
  const trusted = replicas.filter((replica) => !isSuspect(replica));
  return trusted.length >= enough ? trusted : replicas;
}
