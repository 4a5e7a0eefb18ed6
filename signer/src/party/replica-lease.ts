/**
 * A replica holds a lease on its name while it lives. Each renewal is a commit like those of its records, so it also
 * measures whether this replica can record anything now.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Alarms } from '@countersign/runtime/alarms/alarms.js';
import { ConfigError } from '@countersign/runtime/process/config.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import type pg from 'pg';
import { createLeaseTable } from './lease-table.js';
import { openTicks, type Ticks } from '@countersign/runtime/process/ticks.js';

/** A renewal may be three seconds late: a party on a busy machine keeps its name. */
const RENEW_MS = 2_000;
/** How often a process that starts asks whether the one before has let go of the name. */
const ASK_AGAIN_MS = 250;
const LEASE_MS = 5_000;
/** A dead process's lease is over by then, so whoever still has it lives. */
const TAKEN_AFTER_MS = 2 * LEASE_MS;
/** Longer than a busy database takes for a commit. */
const UNWRITABLE_AFTER_MS = 6_000;

export interface ReplicaLease {
  /** Resolves once the name is this process's. Throws ConfigError where another process lives under it. */
  take(): Promise<void>;
  /** Whether something was committed in the last seconds. */
  readonly canWrite: boolean;
  /** Frees the name. */
  stop(): Promise<void>;
}

export interface ReplicaLeaseDeps {
  /** The pool of the records. */
  readonly pool: Pick<pg.Pool, 'query'>;
  readonly self: Replica;
  readonly alarms: Alarms;
  readonly logger: Logger;
  /** ms, never set back or ahead */
  readonly now: () => number;
}

export function createReplicaLease(deps: ReplicaLeaseDeps): ReplicaLease {
  const { pool, self, now } = deps;
  const leases = createLeaseTable(pool, self.party, LEASE_MS, now);
  const name = `replica ${self.name}`;
  const commits = watchCommits(deps);
  let renewal: Promise<void> | undefined;
  let ticks: Ticks | undefined;

  async function renew(): Promise<boolean> {
    const isOwn = await leases.take(name);
    if (isOwn) commits.note();
    return isOwn;
  }

  async function keep(): Promise<void> {
    try {
      const isOwn = await renew();
      commits.tellChange(isOwn ? 'committed' : 'another process has the name of this replica');
    } catch (error) {
      commits.tellChange(String(error));
    } finally {
      renewal = undefined;
    }
  }

  function tick(): void {
    if (renewal === undefined) renewal = keep();
    else commits.tellChange('the database does not answer a commit');
  }

  return {
    async take() {
      const until = now() + TAKEN_AFTER_MS;
      while (!(await renew())) {
        if (now() >= until) throw nameTaken(self);
        await sleep(ASK_AGAIN_MS);
      }
      ticks = openTicks(RENEW_MS, tick);
    },
    get canWrite() {
      return commits.areRecent;
    },
    async stop() {
      ticks?.stop();
      // one that ends later would take back what is given back here
      await renewal;
      await leases.giveBack([name]);
    },
  };
}

/** Knows when something was committed last, and raises an alarm when that is too long ago. */
function watchCommits({
  self: { party, name },
  alarms,
  logger,
  now,
}: Omit<ReplicaLeaseDeps, 'pool'>) {
  let committedAt = Number.NEGATIVE_INFINITY;
  let wereRecent = true;
  const watch = {
    note: () => void (committedAt = now()),
    get areRecent() {
      return now() - committedAt < UNWRITABLE_AFTER_MS;
    },
    tellChange(reason: string): void {
      if (watch.areRecent === wereRecent) return;
      wereRecent = watch.areRecent;
      if (wereRecent) {
        logger.info({ event: 'records_writable' }, 'records can be written again');
      } else {
        alarms.raise({ kind: 'records_unwritable', party, reason: `replica ${name}: ${reason}` });
      }
    },
  };
  return watch;
}

function nameTaken({ party, name }: Replica): ConfigError {
  return new ConfigError(
    `REPLICA: another process of party ${party} runs under the name "${name}": give each replica of a party a name of its own`,
  );
}
