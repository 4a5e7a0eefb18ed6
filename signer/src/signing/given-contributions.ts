/**
 * Keeps what this replica contributed to batches that others lead. A contribution is under way until its lead says that
 * the batch is over, or until no honest lead would take it any more.
 */
import { replicaId, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { Release } from './release-gate.js';

/**
 * For how long after the partner's moment a lead takes a contribution, ms. The time that a venue is told must be right,
 * too: venues' windows are as short as this.
 */
export const CONTRIBUTION_LIFE_MS = 5_000;
/** Two clocks may differ by as much again, and a lead may be slow to commit what it began in time. */
export const FORGET_AFTER_MS = 3 * CONTRIBUTION_LIFE_MS;

export interface GivenContributions {
  /** From now on a contribution to the batch is under way at its lead. */
  add(batchId: string, lead: Replica, release: Release): void;
  /** The lead says that the batch is over. This ends the oldest contribution to it. */
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
      // a lead that took one takes none sent before it: its channel's numbers only rise
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

/** A gateway may give two batches one id, or one batch twice: one lead's "over" says nothing of another's. */
function nameOf(batchId: string, lead: Replica): string {
  return `${batchId} ${replicaId(lead)}`;
}
