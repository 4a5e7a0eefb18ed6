/**
 * Keeps a fold at the head of the ledger: woken by LISTEN/NOTIFY, and by a poll for when a
 * notification is lost. One per process.
 */
import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { TIMESTAMP_WINDOW_MS } from '@countersign/vault/authentication/authenticate.js';
import { toHex } from '@countersign/core/bytes.js';
import { LEDGER_CHANNEL } from '../jobs/names.js';
import { hasSignedDate, type EntryOutcome } from '@countersign/vault/ledger/apply-entry.js';
import type { EntryRow } from '@countersign/vault/ledger/entry.js';
import { BrokenChainError, type Fold } from '@countersign/vault/ledger/fold.js';
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
  onOutcomes(listener: (outcomes: readonly EntryOutcome[], state: VaultState) => void): void;
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
  const { store, fold, logger, now } = options;
  const listeners: ((outcomes: readonly EntryOutcome[], state: VaultState) => void)[] = [];
  const waiters = new Set<() => void>();
  let confirmedAt = Number.NEGATIVE_INFINITY;
  let fault: Error | undefined;
  let isCaughtUp = false;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function readToHead(): Promise<void> {
    for (;;) {
      if (fault !== undefined) throw fault;
      const startedAt = now();
      const rows = await readBeyondHead();
      for (let at = 0; at < rows.length; at += ENTRIES_PER_TURN) {
        if (at > 0) await setImmediate();
        take(rows.slice(at, at + ENTRIES_PER_TURN));
      }
      if (rows.length < PAGE) {
        confirmedAt = startedAt;
        return;
      }
      await setImmediate();
    }
  }

  /** The head is read again with what follows it: a ledger that lacks it was rolled back. */
  async function readBeyondHead(): Promise<EntryRow[]> {
    const { seq, headHash } = fold.state;
    if (seq === 0) return store.readAfter(0, PAGE);
    const [head, ...rows] = await store.readAfter(seq - 1, PAGE + 1);
    if (head?.seq !== seq || toHex(head.hash) !== headHash) {
      throw stopFolding(new BrokenChainError(`entry ${seq} is no longer in the ledger`));
    }
    return rows;
  }

  function take(rows: readonly EntryRow[]): void {
    try {
      const outcomes = fold.advance(rows);
      if (options.watchClock && isCaughtUp) outcomes.forEach(checkClock);
      for (const listener of listeners) listener(outcomes, fold.state);
    } catch (error) {
      throw stopFolding(error);
    } finally {
      for (const waiter of waiters) waiter();
    }
  }

  function stopFolding(error: unknown): Error {
    fault = error instanceof Error ? error : new Error(String(error));
    logger.fatal({ event: 'ledger_fault', reason: fault.message }, 'the ledger cannot be folded');
    return fault;
  }

  function checkClock(outcome: EntryOutcome): void {
    // of a party's word nobody signs the date: one wrong clock must not stop the other parties
    if (outcome.refusal !== undefined || !hasSignedDate(outcome.kind)) return;
    if (Math.abs(now() - outcome.at) > TIMESTAMP_WINDOW_MS) {
      throw new Error(`entry ${outcome.seq} is dated far from this node's clock`);
    }
  }

  function catchUp(): Promise<void> {
    if (running === undefined) {
      running = readToHead().finally(() => (running = undefined));
      return running;
    }
    // the read under way may have begun before the caller's moment: one more follows it
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return catchUp();
      });
    return next;
  }

  function wake(): void {
    catchUp().catch((error: unknown) => {
      if (fault === undefined) {
        logger.warn({ event: 'ledger_read_failed', reason: String(error) }, 'ledger read failed');
      }
    });
  }

  await catchUp();
  isCaughtUp = true;
  const listening = openListener(options, wake);
  const poll = setInterval(wake, options.pollMs);

  return {
    get state() {
      return fold.state;
    },
    get confirmedAt() {
      return fault === undefined ? confirmedAt : Number.NEGATIVE_INFINITY;
    },
    get fault() {
      return fault;
    },
    catchUp,
    waitUntil(holds, timeoutMs) {
      if (holds(fold.state)) return Promise.resolve(true);
      return new Promise((resolve) => {
        const finish = (result: boolean) => {
          clearTimeout(timer);
          waiters.delete(check);
          resolve(result);
        };
        const check = () => {
          if (holds(fold.state)) finish(true);
          else if (fault !== undefined) finish(false);
        };
        const timer = setTimeout(() => finish(false), timeoutMs);
        waiters.add(check);
      });
    },
    onOutcomes(listener) {
      listeners.push(listener);
    },
    async stop() {
      clearInterval(poll);
      await listening.stop();
      await running?.catch(() => undefined);
    },
  };
}

const RECONNECT_MS = 1_000;

/** A LISTEN connection that comes back by itself; the poll covers its gaps. */
function openListener(
  { connectionString, logger }: FollowerOptions,
  wake: () => void,
): { stop(): Promise<void> } {
  let stopped = false;
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;

  function connect(): void {
    const current = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 });
    client = current;
    let lost = false;
    const lose = (error?: unknown) => {
      if (lost) return;
      lost = true;
      if (stopped) return;
      logger.warn({ event: 'ledger_listen_lost', reason: String(error) }, 'ledger LISTEN lost');
      void current.end().catch(() => undefined);
      retry = setTimeout(connect, RECONNECT_MS);
    };
    current.on('error', lose);
    current.on('end', lose);
    current.on('notification', wake);
    current
      .connect()
      .then(() => current.query(`LISTEN ${LEDGER_CHANNEL}`))
      .then(wake, lose);
  }

  connect();
  return {
    async stop() {
      stopped = true;
      clearTimeout(retry);
      await client?.end().catch(() => undefined);
    },
  };
}
