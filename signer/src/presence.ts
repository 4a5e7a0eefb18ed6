/** Tells gateways and the other parties that this replica is alive. A hint, renewed every second. */
import {
  parseReplicaId,
  PRESENCE_KEY,
  PRESENCE_TTL_MS,
  replicaId,
} from '@countersign/shared/jobs/names.js';
import type { Replica } from '@countersign/shared/jobs/sign-batch.js';
import { PARTY_NUMBERS } from '@countersign/shared/ledger/state.js';
import type { Redis } from 'ioredis';

const INTERVAL_MS = 500;

export interface OwnPresence {
  /** One live replica of each party, this one for its own; undefined while a party is away. */
  findReplicas(): Promise<Replica[] | undefined>;
  stop(): Promise<void>;
}

export function openOwnPresence(
  redis: Redis,
  self: Replica,
  now: () => number,
  isFit: () => boolean,
): OwnPresence {
  const announce = () => {
    if (isFit()) redis.hset(PRESENCE_KEY, replicaId(self), now()).catch(() => undefined);
  };
  announce();
  const timer = setInterval(announce, INTERVAL_MS);
  return {
    async findReplicas() {
      const entries = await redis.hgetall(PRESENCE_KEY);
      const oldest = now() - PRESENCE_TTL_MS;
      const alive = Object.entries(entries).flatMap(([id, seenAt]) =>
        Number(seenAt) > oldest ? (parseReplicaId(id) ?? []) : [],
      );
      const chosen = PARTY_NUMBERS.map((party) =>
        party === self.party ? self : alive.find((replica) => replica.party === party),
      );
      return chosen.every((replica) => replica !== undefined) ? chosen : undefined;
    },
    async stop() {
      clearInterval(timer);
      await redis.hdel(PRESENCE_KEY, replicaId(self)).catch(() => undefined);
    },
  };
}
