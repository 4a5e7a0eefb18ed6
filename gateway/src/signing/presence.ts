/**
 * Which replicas of which parties are alive, as they say in Redis. A hint for choosing whom to ask;
 * whoever forges it gains nothing but a delay.
 */
import { PRESENCE_KEY, PRESENCE_TTL_MS } from '@countersign/runtime/jobs/names.js';
import { parsePresence, replicaId, type Replica } from '@countersign/runtime/jobs/replica.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import type { Redis } from 'ioredis';

const REFRESH_MS = 500;
const SUSPECT_MS = 2_000;

export interface Presence {
  isAlive(party: PartyNumber): boolean;
  /** Another lead and partner at each call, from two parties; undefined with fewer than two alive. */
  choosePair(): { lead: Replica; partner: Replica } | undefined;
  /** It did not answer: choose others for a while. */
  suspect(replica: Replica): void;
  trust(replica: Replica): void;
  stop(): void;
}

export function openPresence(redis: Redis, now: () => number, onChange: () => void): Presence {
  let alive: Replica[] = [];
  /** Remembered here too, so that a Redis that forgets does not make every party look dead. */
  const seen = new Map<string, { readonly replica: Replica; readonly seenAt: number }>();
  const suspects = new Map<string, number>();
  let turn = 0;

  async function refresh(): Promise<void> {
    const entries = await redis.hgetall(PRESENCE_KEY).catch(() => ({}));
    // a time ahead of ours, a clock's fault or a forger's, must not keep anybody alive for ever
    for (const [field, value] of Object.entries(entries)) {
      const entry = parsePresence(field, value);
      if (entry === undefined) continue;
      seen.set(field, { replica: entry.replica, seenAt: Math.min(entry.seenAt, now()) });
    }
    const oldest = now() - PRESENCE_TTL_MS;
    for (const [field, { seenAt }] of seen) if (seenAt <= oldest) seen.delete(field);
    alive = [...seen.values()].map(({ replica }) => replica);
    onChange();
  }

  function replicasOf(party: PartyNumber): Replica[] {
    const all = alive.filter((replica) => replica.party === party);
    const trusted = all.filter((replica) => (suspects.get(replicaId(replica)) ?? 0) < now());
    return trusted.length > 0 ? trusted : all;
  }

  function isSuspect(replica: Replica): boolean {
    return (suspects.get(replicaId(replica)) ?? 0) >= now();
  }

  void refresh();
  const timer = setInterval(() => void refresh(), REFRESH_MS);

  return {
    isAlive: (party) => alive.some((replica) => replica.party === party),
    choosePair() {
      turn += 1;
      const candidates = PARTY_NUMBERS.flatMap((party) => {
        const replicas = replicasOf(party);
        return replicas.length === 0 ? [] : [replicas[turn % replicas.length]!];
      });
      if (candidates.length < 2) return undefined;
      const trusted = candidates.filter((replica) => !isSuspect(replica));
      const pool = trusted.length >= 2 ? trusted : candidates;
      const lead = pool[turn % pool.length]!;
      const others = pool.filter((replica) => replica !== lead);
      const partner = others[Math.floor(turn / pool.length) % others.length]!;
      return { lead, partner };
    },
    suspect: (replica) => void suspects.set(replicaId(replica), now() + SUSPECT_MS),
    trust: (replica) => void suspects.delete(replicaId(replica)),
    stop: () => clearInterval(timer),
  };
}
