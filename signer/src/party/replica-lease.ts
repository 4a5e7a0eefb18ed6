/**
 * A replica's name is its own: it holds a lease by it while it lives. Each renewal is a commit as its records make one,
 * so it also measures whether this replica can record anything now.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Alarms } from '@countersign/runtime/alarms/alarms.js';
import { ConfigError } from '@countersign/runtime/process/config.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import type pg from 'pg';
import { createLeaseTable } from './lease-table.js';

const RENEW_MS = 1_000;
const LEASE_MS = 4_000;
/** Of a process that died the lease is over by then: who still has it lives. */
const TAKEN_AFTER_MS = 2 * LEASE_MS;
/** Longer than a busy database takes for a commit. */
const UNWRITABLE_AFTER_MS = 6_000;

export interface ReplicaLease {
  /** Resolves once the name is this process's. Throws ConfigError where another process lives under it. */
  take(): Promise<void>;
  /** Whether something was committed in the last seconds. */
  readonly canWrite: boolean;
  /** The name is free from then on. */
  stop(): Promise<void>;
}

export interface ReplicaLeaseDeps {
  /** Of the records. */
  readonly pool: Pick<pg.Pool, 'query'>;
  readonly self: Replica;
  readonly alarms: Alarms;
  readonly logger: Logger;
  /** ms, never set back or ahead */
  readonly now: () => number;
}

export function createReplicaLease({
  pool,
  self,
  alarms,
  logger,
  now,
}: ReplicaLeaseDeps): ReplicaLease {
  const { party, name: replica } = self;
  const leases = createLeaseTable(pool, party, LEASE_MS);
  const name = `replica ${replica}`;
  let committedAt = Number.NEGATIVE_INFINITY;
  let couldWrite = true;
  let isRenewing = false;
  let timer: NodeJS.Timeout | undefined;

  const canWrite = () => now() - committedAt < UNWRITABLE_AFTER_MS;

  async function renew(): Promise<boolean> {
    const isOwn = await leases.take(name);
    if (isOwn) committedAt = now();
    return isOwn;
  }

  function tellChange(reason: string): void {
    if (canWrite() === couldWrite) return;
    couldWrite = canWrite();
    const fields = { event: couldWrite ? 'records_writable' : 'records_unwritable', reason };
    if (couldWrite) return logger.info(fields, 'records can be written again');
    alarms.raise({ kind: 'records_unwritable', party, reason: `replica ${replica}: ${reason}` });
  }

  async function keep(): Promise<void> {
    if (isRenewing) return tellChange('a commit is not answered');
    isRenewing = true;
    try {
      tellChange((await renew()) ? 'committed' : 'another process has the name of this replica');
    } catch (error) {
      tellChange(String(error));
    } finally {
      isRenewing = false;
    }
  }

  return {
    async take() {
      const until = now() + TAKEN_AFTER_MS;
      while (!(await renew())) {
        if (now() >= until) throw nameTaken(self);
        await sleep(RENEW_MS / 4);
      }
      timer = setInterval(() => void keep(), RENEW_MS);
    },
    get canWrite() {
      return canWrite();
    },
    async stop() {
      clearInterval(timer);
      await leases.giveBack([name]);
    },
  };
}

function nameTaken({ party, name }: Replica): ConfigError {
  return new ConfigError(
    `REPLICA: another process of party ${party} runs under the name "${name}": give each replica of a party a name of its own`,
  );
}
