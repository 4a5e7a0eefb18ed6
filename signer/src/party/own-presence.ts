/** Tells gateways and the other parties that this replica is alive. A hint, renewed every second. */
import { PRESENCE_KEY, PRESENCE_TTL_MS } from '@countersign/runtime/jobs/names.js';
import { parsePresence, presenceEntry, type Replica } from '@countersign/runtime/jobs/replica.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import type { Redis } from 'ioredis';

const INTERVAL_MS = 500;

export interface OwnPresence {
  /** From now on: once this replica hears what is said to it. */
  announce(): void;
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
  const renew = () => {
    if (isFit()) redis.hset(PRESENCE_KEY, ...presenceEntry(self, now())).catch(() => undefined);
  };
  let timer: NodeJS.Timeout | undefined;
  return {
    announce() {
      renew();
      timer = setInterval(renew, INTERVAL_MS);
    },
    async findReplicas() {
      const entries = await redis.hgetall(PRESENCE_KEY);
      const oldest = now() - PRESENCE_TTL_MS;
      const alive = Object.entries(entries).flatMap(([field, value]) => {
        const entry = parsePresence(field, value);
        return entry !== undefined && entry.seenAt > oldest ? [entry.replica] : [];
      });
      const chosen = PARTY_NUMBERS.map((party) =>
        party === self.party ? self : alive.find((replica) => replica.party === party),
      );
      return chosen.every((replica) => replica !== undefined) ? chosen : undefined;
    },
    async stop() {
      clearInterval(timer);
      const [field] = presenceEntry(self, now());
      await redis.hdel(PRESENCE_KEY, field).catch(() => undefined);
    },
  };
}
