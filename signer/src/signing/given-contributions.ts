/**
 * What this replica contributed to batches that others lead. A contribution is under way until its lead says that
 * the batch is over, or until no honest lead would take it any more.
 */
import { isSameReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { Release } from './release-gate.js';

/**
 * A lead takes a contribution for so long after the moment that the partner signed it for, ms. What a venue is told
 * to be the time must be the time, too: their windows are as short as this.
 */
export const CONTRIBUTION_LIFE_MS = 5_000;
/** Two clocks may differ by as much again. */
const FORGET_AFTER_MS = 2 * CONTRIBUTION_LIFE_MS;

export interface GivenContributions {
  /** From now on the batch is under way at its lead. */
  add(batchId: string, lead: Replica, release: Release): void;
  /** The lead says that the batch is over. */
  finish(from: Replica, batchId: string): void;
  stop(): void;
}

export function createGivenContributions(): GivenContributions {
  const given = new Map<
    string,
    { readonly lead: Replica; readonly release: Release; readonly timer: NodeJS.Timeout }
  >();

  function end(batchId: string): void {
    const entry = given.get(batchId);
    if (entry === undefined) return;
    given.delete(batchId);
    clearTimeout(entry.timer);
    entry.release.done();
  }

  return {
    add(batchId, lead, release) {
      end(batchId);
      const timer = setTimeout(() => end(batchId), FORGET_AFTER_MS);
      timer.unref();
      given.set(batchId, { lead, release, timer });
    },
    finish(from, batchId) {
      const entry = given.get(batchId);
      if (entry !== undefined && isSameReplica(entry.lead, from)) end(batchId);
    },
    stop() {
      for (const batchId of given.keys()) end(batchId);
    },
  };
}
