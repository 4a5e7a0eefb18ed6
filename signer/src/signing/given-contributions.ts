/**
 * What this replica contributed to batches that others lead. A contribution is under way until its lead says that
 * the batch is over, or until no honest lead would take it any more.
 */
import { replicaId, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { Release } from './release-gate.js';

/**
 * A lead takes a contribution for so long after the moment that the partner signed it for, ms. What a venue is told
 * to be the time must be the time, too: their windows are as short as this.
 */
export const CONTRIBUTION_LIFE_MS = 5_000;
/** Two clocks may differ by as much again; and what a lead began in time it may commit, slowly. */
export const FORGET_AFTER_MS = 3 * CONTRIBUTION_LIFE_MS;

export interface GivenContributions {
  /** From now on a contribution to the batch is under way at its lead. */
  add(batchId: string, lead: Replica, release: Release): void;
  /** The lead says that the batch is over: one contribution to it, the oldest. */
  finish(from: Replica, batchId: string): void;
  stop(): void;
}

export function createGivenContributions(): GivenContributions {
  const given = new Map<string, Given[]>();

  function end(name: string, entry: Given): void {
    const left = (given.get(name) ?? []).filter((one) => one !== entry);
    if (left.length === 0) given.delete(name);
    else given.set(name, left);
    clearTimeout(entry.timer);
    entry.release.done();
  }

  return {
    add(batchId, lead, release) {
      const name = nameOf(batchId, lead);
      const timer = setTimeout(() => end(name, entry), FORGET_AFTER_MS);
      timer.unref();
      const entry: Given = { release, timer };
      given.set(name, [...(given.get(name) ?? []), entry]);
    },
    finish(from, batchId) {
      // a lead that had one contribution takes none that was sent before it any more: its channel rises
      const name = nameOf(batchId, from);
      const oldest = given.get(name)?.[0];
      if (oldest !== undefined) end(name, oldest);
    },
    stop() {
      for (const [name, entries] of [...given]) for (const entry of entries) end(name, entry);
    },
  };
}

interface Given {
  readonly release: Release;
  readonly timer: NodeJS.Timeout;
}

/** A gateway may give two batches one id, or one batch twice: what one lead says is over is not over at another. */
function nameOf(batchId: string, lead: Replica): string {
  return `${batchId} ${replicaId(lead)}`;
}
