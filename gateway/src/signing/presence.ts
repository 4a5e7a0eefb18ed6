/**
 * Which replicas of which parties are alive, as they say in Redis. A hint for choosing whom to ask;
 * whoever forges it gains nothing but a delay.
 */
import { PRESENCE_KEY } from '@countersign/runtime/jobs/names.js';
import { replicaId, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { Redis } from 'ioredis';
import { choosePair, type Pair } from './choose-pair.js';
import { noteReplicas, type SeenReplicas } from './seen-replicas.js';

const REFRESH_MS = 500;
const SUSPECT_MS = 2_000;

export interface Presence {
  isAlive(party: PartyNumber): boolean;
  /** Another lead and partner at each call, from two parties; undefined with fewer than two alive. */
  choosePair(): Pair | undefined;
  /** It did not answer: choose others for a while. */
  suspect(replica: Replica): void;
  trust(replica: Replica): void;
  stop(): void;
}

/** Looks at once and then all the time; `onChange` is called after each look, whatever it showed. */
export function openPresence(redis: Redis, now: () => number, onChange: () => void): Presence {
  const seen: SeenReplicas = new Map();
  let alive: readonly Replica[] = [];
  /** Until when, by replica id. */
  const suspects = new Map<string, number>();
  let turn = 0;

  async function refresh(): Promise<void> {
    const entries = await redis.hgetall(PRESENCE_KEY).catch(() => ({}));
    noteReplicas(seen, entries, now());
    alive = [...seen.values()].map(({ replica }) => replica);
    onChange();
  }

  void refresh();
  const timer = setInterval(() => void refresh(), REFRESH_MS);

  return {
    isAlive: (party) => alive.some((replica) => replica.party === party),
    choosePair() {
      turn += 1;
      const isSuspect = (replica: Replica) => (suspects.get(replicaId(replica)) ?? 0) >= now();
      return choosePair(alive, isSuspect, turn);
    },
    suspect: (replica) => void suspects.set(replicaId(replica), now() + SUSPECT_MS),
    trust: (replica) => void suspects.delete(replicaId(replica)),
    stop: () => clearInterval(timer),
  };
}
