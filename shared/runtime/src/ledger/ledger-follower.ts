/**
 * Keeps a fold at the head of the ledger: woken by LISTEN/NOTIFY, and by a poll for when a
 * notification is lost. One per process.
 */
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { EntryRow } from '@countersign/vault/ledger/entry.js';
import type { Fold } from '@countersign/vault/ledger/fold.js';
import { FollowedFold, rowsBeyond, type OutcomeListener } from './followed-fold.js';
import { createLatestRun } from './latest-run.js';
import { openLedgerListener } from './ledger-listener.js';
import type { LedgerStore } from './ledger-store.js';
import type { VaultState } from '@countersign/vault/state/state.js';

const PAGE = 500;
/** A long catch-up must not hold the event loop: time-outs and callers wait behind it. */
const ENTRIES_PER_TURN = 50;

export interface LedgerFollower {
  readonly state: VaultState;
  /** When (ms) a read of the database last showed that nothing lay beyond the fold. */
  readonly confirmedAt: number;
  /** Why this node stopped folding, or undefined. Never recovers by itself. */
  readonly fault: Error | undefined;
  /** Reads to the head once; a call while one runs waits for a read that began after the call. */
  catchUp(): Promise<void>;
  /** Whether the fold came to hold what is asked before the time ran out. */
  waitUntil(holds: (state: VaultState) => boolean, timeoutMs: number): Promise<boolean>;
  onOutcomes(listener: OutcomeListener): void;
  stop(): Promise<void>;
}

export interface FollowerOptions {
  readonly store: LedgerStore;
  readonly fold: Fold;
  readonly logger: Logger;
  /** For the LISTEN connection. */
  readonly connectionString: string;
  readonly now: () => number;
  readonly pollMs: number;
  /** Stop folding at a new entry whose time is far from this node's clock (parties do). */
  readonly watchClock: boolean;
}

/** Resolves once the fold has reached the head. Throws when the log is broken or unreadable. */
export async function openLedgerFollower(options: FollowerOptions): Promise<LedgerFollower> {
  const { logger, now } = options;
  const followed = new FollowedFold({
    fold: options.fold,
    watchedClock: options.watchClock ? now : undefined,
    onFault: ({ message }) =>
      logger.fatal({ event: 'ledger_fault', reason: message }, 'the ledger cannot be folded'),
  });
  const reads = createLatestRun(() => readToHead(options.store, followed, now));

  function wake(): void {
    reads.run().catch((error: unknown) => {
      if (followed.fault === undefined) {
        logger.warn({ event: 'ledger_read_failed', reason: String(error) }, 'ledger read failed');
      }
    });
  }

  await reads.run();
  const listener = openLedgerListener(options.connectionString, logger, wake);
  const poll = setInterval(wake, options.pollMs);

  return {
    get state() {
      return followed.state;
    },
    get confirmedAt() {
      return followed.confirmedAt;
    },
    get fault() {
      return followed.fault;
    },
    catchUp: () => reads.run(),
    waitUntil: (holds, timeoutMs) => followed.waitUntil(holds, timeoutMs),
    onOutcomes: (outcomeListener) => followed.onOutcomes(outcomeListener),
    async stop() {
      clearInterval(poll);
      await listener.stop();
      await reads.settle();
    },
  };
}

async function readToHead(
  store: LedgerStore,
  followed: FollowedFold,
  now: () => number,
): Promise<void> {
  for (;;) {
    if (followed.fault !== undefined) throw followed.fault;
    const startedAt = now();
    const rows = await readBeyondHead(store, followed);
    for (let at = 0; at < rows.length; at += ENTRIES_PER_TURN) {
      if (at > 0) await setImmediate();
      followed.take(rows.slice(at, at + ENTRIES_PER_TURN));
    }
    if (rows.length < PAGE) {
      followed.confirm(startedAt);
      return;
    }
    await setImmediate();
  }
}

/** The head is read again with what follows it: a ledger that lacks it was rolled back. */
async function readBeyondHead(store: LedgerStore, followed: FollowedFold): Promise<EntryRow[]> {
  const { state } = followed;
  if (state.seq === 0) return store.readAfter(0, PAGE);
  const rows = await store.readAfter(state.seq - 1, PAGE + 1);
  try {
    return rowsBeyond(state, rows);
  } catch (error) {
    throw followed.stop(error);
  }
}
