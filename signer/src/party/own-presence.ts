/** Tells gateways and the other parties that this replica is alive. Presence is a hint. */
import { PRESENCE_KEY, PRESENCE_TTL_MS } from '@countersign/runtime/jobs/names.js';
import {
  isOfUse,
  isSameReplica,
  parsePresence,
  presenceEntry,
  presenceMessage,
  type Replica,
  type ReplicaTrouble,
} from '@countersign/runtime/jobs/replica.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { openTicks, type Ticks } from '@countersign/runtime/process/ticks.js';
import type { Redis } from 'ioredis';

/** A gateway that missed a word, because Redis was emptied, hears the next well before it takes the replica for dead. */
const INTERVAL_MS = 1_000;

/** `silent`: the replica says nothing, and is taken for one that is away. */
export type Standing = 'fit' | 'silent' | ReplicaTrouble;

export interface OwnPresence {
  /** To be called once this replica hears what is said to it. Renews its presence from then on, unless `silent`. */
  announce(standing: () => Standing): Promise<void>;
  /** This party's primary replica, wherever it runs; undefined while nobody has heard of it. */
  findPrimary(): Promise<Replica | undefined>;
  /** Every other live replica, of all parties. */
  findOthers(): Promise<Replica[]>;
  /** One live replica of each party, this one for its own; undefined while a party is away. */
  findReplicas(): Promise<Replica[] | undefined>;
  stop(): Promise<void>;
}

export interface OwnPresenceDeps {
  readonly redis: Redis;
  readonly self: Replica;
  readonly isPrimary: boolean;
  readonly now: () => number;
  readonly genesisHash: string;
  /** Signs with the party's identity key: 64 bytes. */
  sign(message: Uint8Array): Promise<Uint8Array>;
  /** Whether a message of the replica has opened here: anybody may have written the presence of another. */
  isHeard(replica: Replica): boolean;
}

export function openOwnPresence(deps: OwnPresenceDeps): OwnPresence {
  const { redis, self, isPrimary, now } = deps;
  const renew = (standing: () => Standing, signature: Uint8Array) => {
    const says = standing();
    if (says === 'silent') return;
    const trouble = says === 'fit' ? undefined : says;
    const entry = presenceEntry(self, now(), isPrimary, signature, { trouble });
    redis.hset(PRESENCE_KEY, ...entry).catch(() => undefined);
  };

  /** Prefers a replica that was heard; of others it takes another each time. */
  function choose(replicas: readonly Replica[]): Replica | undefined {
    turn += 1;
    return replicas.find(deps.isHeard) ?? replicas[turn % replicas.length];
  }

  let turn = 0;
  let ticks: Ticks | undefined;
  return {
    async announce(standing) {
      const signature = await deps.sign(presenceMessage(self, isPrimary, deps.genesisHash));
      renew(standing, signature);
      ticks = openTicks(INTERVAL_MS, () => renew(standing, signature));
    },
    async findPrimary() {
      const alive = await findAlive(deps);
      const primaries = alive.filter(
        ({ isPrimary, replica }) => isPrimary && replica.party === self.party,
      );
      return choose(primaries.map(({ replica }) => replica));
    },
    async findOthers() {
      const alive = (await findAlive(deps)).map(({ replica }) => replica);
      return alive.filter((replica) => !isSameReplica(replica, self));
    },
    async findReplicas() {
      const alive = (await findAlive(deps)).map(({ replica }) => replica);
      const chosen = PARTY_NUMBERS.map((party) =>
        party === self.party ? self : choose(alive.filter((replica) => replica.party === party)),
      );
      return chosen.every((replica) => replica !== undefined) ? chosen : undefined;
    },
    async stop() {
      ticks?.stop();
      const [field] = presenceEntry(self, now(), isPrimary);
      await redis.hdel(PRESENCE_KEY, field).catch(() => undefined);
    },
  };
}

async function findAlive({ redis, now }: Pick<OwnPresenceDeps, 'redis' | 'now'>) {
  const entries = await redis.hgetall(PRESENCE_KEY);
  const oldest = now() - PRESENCE_TTL_MS;
  return Object.entries(entries).flatMap(([field, value]) => {
    const entry = parsePresence(field, value);
    const isAlive = entry !== undefined && entry.seenAt > oldest && isOfUse(entry);
    return isAlive ? [entry] : [];
  });
}
