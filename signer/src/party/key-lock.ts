import type { PartyNumber } from '@countersign/core/parties.js';
import { createWaitingLines } from '@countersign/runtime/process/waiting-lines.js';
import type pg from 'pg';
import { createLeaseTable } from './lease-table.js';
import { openTicks } from '@countersign/runtime/process/ticks.js';

/** Keeps two replicas of one party from doing the same work for keys at once. It guards no secret. */
export interface KeyLock {
  /** Whether this replica holds the lock now. It can acquire one again, and must release it as often. */
  acquire(name: string): Promise<boolean>;
  release(name: string): Promise<void>;
  /** Releases all locks. The pool stays open. */
  close(): Promise<void>;
}

/** Held while RSA keys are generated, for the ledger or for stock: that fills the processors. */
export const RSA_LANE = 'rsa generation';

/** A renewal can fail on a dead connection and be made on another within this time. */
const LEASE_MS = 10_000;
const RENEWALS_PER_LEASE = 5;

/**
 * Locks are leases (`lease-table.ts`), renewed while they are held. A dead replica's lock is free when its lease
 * expires.
 */
export function createKeyLock(pool: pg.Pool, party: PartyNumber, leaseMs = LEASE_MS): KeyLock {
  const leases = createLeaseTable(pool, party, leaseMs);
  /** How often each name is held. */
  const held = new Map<string, number>();
  const { inLine } = createWaitingLines();
  let isRenewing = false;

  async function acquire(name: string): Promise<boolean> {
    if (!(await leases.take(name))) return false;
    held.set(name, (held.get(name) ?? 0) + 1);
    return true;
  }

  async function release(name: string): Promise<void> {
    const count = held.get(name) ?? 0;
    if (count > 1) {
      held.set(name, count - 1);
    } else if (held.delete(name)) {
      await leases.giveBack([name]);
    }
  }

  const ticks = openTicks(leaseMs / RENEWALS_PER_LEASE, () => {
    if (isRenewing || held.size === 0) return;
    isRenewing = true;
    void leases.renew([...held.keys()]).finally(() => {
      isRenewing = false;
    });
  });

  // calls for one name take turns: a lease that is given back must not be one that was just taken
  return {
    acquire: (name) => inLine(name, () => acquire(name)),
    release: (name) => inLine(name, () => release(name)),
    async close() {
      ticks.stop();
      const names = [...held.keys()];
      held.clear();
      if (names.length > 0) await leases.giveBack(names);
    },
  };
}
