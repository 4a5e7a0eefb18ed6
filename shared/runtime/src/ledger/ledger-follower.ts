/**
 * Keeps a fold at the head of the ledger: woken by LISTEN/NOTIFY, and by a poll for when a
 * notification is lost. One per process.
 */
import { setImmediate } from 'node:timers/promises';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import type { Logger } from 'pino';
import { MAX_ENTRY_BYTES, type EntryRow } from '@countersign/vault/ledger/entry.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import type { Fold, LedgerView } from '@countersign/vault/ledger/fold.js';
import { OTHER_HISTORY } from '@countersign/vault/ledger/party-word.js';
import type { Alarms } from '../alarms/alarms.js';
import { FollowedFold, rowsBeyond, type OutcomeListener } from './followed-fold.js';
import { createFoldInTurns, type FoldInTurns, type TurnedFold } from './fold-in-turns.js';
import { createLatestRun, type LatestRun } from './latest-run.js';
import { openLedgerListener } from './ledger-listener.js';
import type { PinFile } from './ledger-pin.js';
import type { LedgerStore } from './ledger-store.js';
import type { VaultState } from '@countersign/vault/state/state.js';

const PAGE = 2_000;
/** A page of the largest rows is read well within a store's time limit. */
const PAGE_BYTES = 4 * 1024 * 1024;

export interface LedgerFollower {
  /** What is in force: short for `view.state`. */
  readonly state: VaultState;
  /** The ledger as far as it has been folded, and pinned. */
  readonly view: LedgerView;
  /** When (ms) a read of the database last showed that nothing lay beyond the fold. */
  readonly confirmedAt: number;
  /** Why this node stopped folding, or undefined. Never recovers by itself. */
  readonly fault: Error | undefined;
  /** Reads to the head once; a call while one runs waits for a read that began after the call. */
  catchUp(): Promise<void>;
  /** Whether the fold came to hold what is asked before the time ran out. */
  waitUntil(
    holds: (state: VaultState, view: LedgerView) => boolean,
    timeoutMs: number,
  ): Promise<boolean>;
  onOutcomes(listener: OutcomeListener): void;
  stop(): Promise<void>;
}

export interface FollowerOptions {
  readonly store: Pick<LedgerStore, 'readAfter'>;
  readonly fold: Fold;
  readonly logger: Logger;
  readonly alarms: Alarms;
  /** For the LISTEN connection. */
  readonly connectionString: string;
  readonly now: () => number;
  readonly pollMs: number;
  /** The hash of the genesis that this node's operator gave it, hex; undefined as long as there is none. */
  readonly genesisHash: () => string | undefined;
  /** Where this node remembers what it relied on; undefined for one that rests on the pins of another. */
  readonly pinFile: PinFile | undefined;
  /** Hears of every entry, those at the start included. */
  readonly onOutcomes?: OutcomeListener | undefined;
}

/**
 * Resolves once the fold has reached the head. Throws when the log is broken, unreadable, or not the one that
 * this node knows.
 */
export async function openLedgerFollower(options: FollowerOptions): Promise<LedgerFollower> {
  const { logger, alarms, pinFile, genesisHash } = options;
  const followed = new FollowedFold({
    fold: options.fold,
    genesisHash,
    pinned: await pinFile?.read(),
    pin: pinFile === undefined ? undefined : (pin) => pinFile.write(pin),
    onFault: ({ message: reason }) =>
      alarms.raise({ kind: 'ledger_fault', reason, isLasting: true }),
  });
  followed.onOutcomes((outcomes) => alarmOfOtherHistories(outcomes, alarms));
  if (options.onOutcomes !== undefined) followed.onOutcomes(options.onOutcomes);
  const reads = createReads(options, followed);

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
      return followed.view.state;
    },
    get view() {
      return followed.view;
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

/** A party that speaks of another log was shown one, or makes one up: somebody has to look into it. */
function alarmOfOtherHistories(outcomes: readonly EntryOutcome[], alarms: Alarms): void {
  for (const { seq, hash, actorId, refusal } of outcomes) {
    if (refusal !== OTHER_HISTORY) continue;
    alarms.raise({
      kind: 'other_history',
      party: PARTY_NUMBERS.find((party) => actorId === `party_${party}`),
      reason: `entry ${seq} of the ledger is its word for another history`,
      evidence: hash,
      isLasting: true,
    });
  }
}

/** To the head, with a thread that lives as long as a read needs it. */
function createReads(options: FollowerOptions, followed: FollowedFold): LatestRun {
  const turns = createFoldInTurns({
    onFailure: ({ message: reason }) =>
      options.logger.warn(
        { event: 'word_thread_failed', reason },
        'words are verified without a thread',
      ),
  });
  return createLatestRun(() => readToHead(options, followed, turns).finally(() => turns.rest()));
}

async function readToHead(
  { store, now, genesisHash }: FollowerOptions,
  followed: FollowedFold,
  turns: FoldInTurns,
): Promise<void> {
  const into: TurnedFold = {
    get signers() {
      return followed.view.state;
    },
    fold: (rows, verify) => followed.fold(rows, verify),
  };
  for (;;) {
    if (followed.fault !== undefined) throw followed.fault;
    const startedAt = now();
    const rows = await readBeyondHead(store, followed);
    // a vault without a genesis is one without entries, whatever the database holds
    if (followed.view.state.seq === 0 && genesisHash() === undefined) rows.length = 0;
    await turns.fold(rows, into);
    if (rows.length > 0) await followed.publish();
    if (isLastPage(rows)) {
      followed.confirm(startedAt);
      return;
    }
    await setImmediate();
  }
}

/** Whether neither the rows nor the bytes of a page were used up: the head that it began with and one more would fit. */
function isLastPage(rows: readonly EntryRow[]): boolean {
  const bytes = rows.reduce((sum, { body }) => sum + body.length, 0);
  return rows.length < PAGE && bytes + 2 * MAX_ENTRY_BYTES <= PAGE_BYTES;
}

/** The head is read again with what follows it: a ledger that lacks it was rolled back. */
async function readBeyondHead(
  store: Pick<LedgerStore, 'readAfter'>,
  followed: FollowedFold,
): Promise<EntryRow[]> {
  const { state } = followed.view;
  if (state.seq === 0) return store.readAfter(0, PAGE, PAGE_BYTES);
  const rows = await store.readAfter(state.seq - 1, PAGE + 1, PAGE_BYTES);
  try {
    return rowsBeyond(state, rows);
  } catch (error) {
    throw followed.stop(error);
  }
}
