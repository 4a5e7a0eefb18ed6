/** Tells gateways and the other parties that this replica is alive. Presence is a hint. */
import { PRESENCE_KEY } from '@countersign/runtime/jobs/names.js';
import {
  isOfUse,
  isSameReplica,
  presenceEntry,
  presenceMessage,
  type PresenceEntry,
  type Replica,
  type ReplicaTrouble,
} from '@countersign/runtime/jobs/replica.js';
import { watchRenewals } from '@countersign/runtime/jobs/renewed-presence.js';
import { createLatestRun } from '@countersign/runtime/ledger/latest-run.js';
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
  /** This process's own monotonic clock, ms. */
  readonly elapsed: () => number;
  readonly genesisHash: string;
  /** Signs with the party's identity key: 64 bytes. */
  sign(message: Uint8Array): Promise<Uint8Array>;
  /** Whether a message of the replica has opened here: anybody may have written the presence of another. */
  isHeard(replica: Replica): boolean;
}

export function openOwnPresence(deps: OwnPresenceDeps): OwnPresence {
  const { redis, self, isPrimary, now } = deps;
  /** Prefers a replica that was heard; of others it takes another each time. */
  function choose(replicas: readonly Replica[]): Replica | undefined {
    turn += 1;
    return replicas.find(deps.isHeard) ?? replicas[turn % replicas.length];
  }

  const findAlive = lookForOthers(deps);
  let turn = 0;
  let isOver = false;
  let ticks: Ticks | undefined;
  return {
    async announce(standing) {
      const signature = await deps.sign(presenceMessage(self, isPrimary, deps.genesisHash));
      const says = () => (isOver ? 'silent' : standing());
      const renew = renewal(deps, says, signature);
      renew();
      ticks = openTicks(INTERVAL_MS, () => {
        renew();
        // whoever looks seldom sees nobody's word change
        findAlive().catch(() => undefined);
      });
    },
    async findPrimary() {
      const alive = await findAlive();
      const primaries = alive.filter(
        ({ isPrimary, replica }) => isPrimary && replica.party === self.party,
      );
      return choose(primaries.map(({ replica }) => replica));
    },
    async findOthers() {
      const alive = (await findAlive()).map(({ replica }) => replica);
      return alive.filter((replica) => !isSameReplica(replica, self));
    },
    async findReplicas() {
      const alive = (await findAlive()).map(({ replica }) => replica);
      const chosen = PARTY_NUMBERS.map((party) =>
        party === self.party ? self : choose(alive.filter((replica) => replica.party === party)),
      );
      return chosen.every((replica) => replica !== undefined) ? chosen : undefined;
    },
    async stop() {
      ticks?.stop();
      isOver = true;
      const [field] = presenceEntry(self, now(), isPrimary);
      await redis.hdel(PRESENCE_KEY, field).catch(() => undefined);
    },
  };
}

/** Says one word at a time: while Redis is away they would pile up, and the last alone is of use when it is back. */
function renewal(
  { redis, self, isPrimary, now }: OwnPresenceDeps,
  standing: () => Standing,
  signature: Uint8Array,
): () => void {
  const words = createLatestRun(async () => {
    const says = standing();
    if (says === 'silent') return;
    const trouble = says === 'fit' ? undefined : says;
    const entry = presenceEntry(self, now(), isPrimary, signature, { trouble });
    await redis.hset(PRESENCE_KEY, ...entry);
  });
  return () => void words.run().catch(() => undefined);
}

/** Asks Redis one question at a time: while it is away they would pile up, and all leave at once when it is back. */
function lookForOthers({ redis, now, elapsed }: OwnPresenceDeps): () => Promise<PresenceEntry[]> {
  const renewals = watchRenewals();
  let alive: PresenceEntry[] = [];
  const looks = createLatestRun(async () => {
    const entries = await redis.hgetall(PRESENCE_KEY);
    const renewed = renewals.look(entries, { now: now(), elapsed: elapsed() });
    alive = renewed.map(({ entry }) => entry).filter(isOfUse);
  });
  return async () => {
    await looks.run();
    return alive;
  };
}
