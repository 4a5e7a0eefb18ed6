/**
 * Keeps a fold at the head of the ledger. LISTEN/NOTIFY wakes it, and a poll in case a notification is lost. There is
 * one per process.
 */
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { MAX_ENTRY_BYTES, type EntryRow } from '@countersign/vault/ledger/entry.js';
import type { Fold, LedgerView } from '@countersign/vault/ledger/fold.js';
import { BrokenChainError } from '@countersign/vault/ledger/ledger-errors.js';
import { createClockWatch } from './clock-watch.js';
import { raiseUnjudged } from './unjudged-entries.js';
import type { Alarms } from '../alarms/alarms.js';
import { checkEarlierHistory } from './earlier-history.js';
import {
  FollowedFold,
  rowsBeyond,
  WrongLedgerError,
  type OutcomeListener,
} from './followed-fold.js';
import { foldInTurns } from './fold-in-turns.js';
import { createLatestRun } from './latest-run.js';
import { openLedgerListener } from './ledger-listener.js';
import type { FoldSnapshots, OutcomeMemory, SnapshotPlace } from './fold-snapshots.js';
import type { PinFile } from './ledger-pin.js';
import type { LedgerStore } from './ledger-store.js';
import { createOtherHistories } from './other-histories.js';
import { PAGE, PAGE_BYTES } from './read-rows.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import { openLeaseClock } from '../process/lease-clock.js';
import { openTicks } from '../process/ticks.js';

/** When rows before a snapshot are read again that the database would not show. */
const HISTORY_RETRY_MS = 5_000;

export interface LedgerFollower {
  /** The state in force: short for `view.state`. */
  readonly state: VaultState;
  /**
   * The ledger as far as it has been folded. A freeze in it is obeyed; what allows something must lie within
   * `pinnedSeq`.
   */
  readonly view: LedgerView;
  /** The last entry that this node has pinned; without bound for a node that relies on another's pins. */
  readonly pinnedSeq: number;
  /** Why the newest head is not pinned; undefined while it is, or is about to be. Retried all the time. */
  readonly pinTrouble: string | undefined;
  /**
   * How long ago (ms) the read began that last showed that nothing lay beyond the fold; without bound before the first
   * one. Setting the clock does not change it.
   */
  readonly confirmedMsAgo: number;
  /** Why this node stopped folding, or undefined. Never recovers by itself. */
  readonly fault: Error | undefined;
  /** Reads to the head once. A call during a read waits for one that began after the call. */
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
  /** Opens the LISTEN connection. */
  readonly connectionString: string;
  readonly now: () => number;
  /** The clock of leases: one that is set back, or sleeps, would make an old fold count as confirmed. */
  readonly elapsed?: () => number;
  readonly pollMs: number;
  /** The hash of the genesis that this node's operator gave it, hex; undefined until there is one. */
  readonly genesisHash: () => string | undefined;
  /** Where this node remembers what it relied on; undefined for a node that relies on another's pins. */
  readonly pinFile: PinFile | undefined;
  /**
   * Called before a node without a pin file makes its first pin. Throws for a ledger that it must have had a pin of.
   */
  readonly requireNew?: ((view: LedgerView) => void) | undefined;
  /** Hears of every entry, those at the start included, but not of those before a snapshot. */
  readonly onOutcomes?: OutcomeListener | undefined;
  /** Snapshots of this node, with what `onOutcomes` remembers. Absent: it folds from the genesis. */
  readonly kept?: { readonly snapshots: FoldSnapshots; readonly memory: OutcomeMemory } | undefined;
}

/**
 * Resolves once the fold has reached the head. Throws when the log is broken, unreadable, or not the one that this
 * node knows.
 */
export async function openLedgerFollower(options: FollowerOptions): Promise<LedgerFollower> {
  const { logger, kept, elapsed = openLeaseClock() } = options;
  const { followed, resumedAt } = await openFollowed(options, elapsed);
  const reads = createLatestRun(() => readToHead(options, followed, elapsed));

  function wake(): void {
    reads.run().catch((error: unknown) => {
      if (followed.fault === undefined) {
        logger.warn({ event: 'ledger_read_failed', reason: String(error) }, 'ledger read failed');
      }
    });
  }

  await reads.run();
  const stopping = new AbortController();
  const earlier = lookAtEarlier(options, followed, resumedAt, stopping.signal);
  const listener = openLedgerListener(options.connectionString, logger, wake);
  const poll = openTicks(options.pollMs, wake);

  return {
    get state() {
      return followed.view.state;
    },
    get view() {
      return followed.view;
    },
    get pinnedSeq() {
      return followed.pinnedSeq;
    },
    get pinTrouble() {
      return followed.pinTrouble;
    },
    get confirmedMsAgo() {
      return elapsed() - followed.confirmedAt;
    },
    get fault() {
      return followed.fault;
    },
    catchUp: () => reads.run(),
    waitUntil: (holds, timeoutMs) => followed.waitUntil(holds, timeoutMs),
    onOutcomes: (outcomeListener) => followed.onOutcomes(outcomeListener),
    async stop() {
      poll.stop();
      stopping.abort();
      await listener.stop();
      await reads.settle();
      followed.close();
      await earlier;
      await kept?.snapshots.settle();
    },
  };
}

/** A fold that goes on from its node's snapshot if there is one, as do all who hear of its outcomes. */
async function openFollowed(
  options: FollowerOptions,
  elapsed: () => number,
): Promise<{ readonly followed: FollowedFold; readonly resumedAt: SnapshotPlace | undefined }> {
  const { fold, alarms, pinFile, genesisHash, onOutcomes, kept } = options;
  const pinned = await pinFile?.read();
  const histories = createOtherHistories(alarms);
  const memories = kept === undefined ? [] : [histories, kept.memory];
  const ground = { ...options, genesisHash: genesisHash(), pinned, memories };
  const resumedAt = await kept?.snapshots.resume(ground);
  const followed = new FollowedFold({
    fold,
    genesisHash,
    pinned,
    pin: pinFile === undefined ? undefined : (pin) => pinFile.write(pin),
    requireNew: options.requireNew,
    onFault: ({ message: reason }) =>
      alarms.raise({ kind: 'ledger_fault', reason, isLasting: true }),
    onPinTrouble: (reason) => alarms.raise({ kind: 'pin_unwritable', reason }),
  });
  followed.onOutcomes((outcomes) => histories.note(outcomes));
  followed.onOutcomes((outcomes) => raiseUnjudged(outcomes, alarms));
  const clocks = createClockWatch(alarms, options.now);
  followed.onOutcomes((outcomes) => clocks.note(outcomes, elapsed() - followed.confirmedAt));
  if (onOutcomes !== undefined) followed.onOutcomes(onOutcomes);
  if (kept !== undefined) followed.onOutcomes(() => kept.snapshots.note({ fold, memories }));
  return { followed, resumedAt };
}

/** Reads what lies before the fold's snapshot, and stops the fold if the history is another one. Never rejects. */
async function lookAtEarlier(
  { store, genesisHash, logger }: FollowerOptions,
  followed: FollowedFold,
  upTo: SnapshotPlace | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (upTo === undefined) return;
  logger.info({ event: 'ledger_resumed', seq: upTo.seq }, 'the fold began with a snapshot');
  while (!signal.aborted) {
    try {
      await checkEarlierHistory({ store, genesisHash: genesisHash(), upTo, signal });
      return;
    } catch (error) {
      if (error instanceof BrokenChainError || error instanceof WrongLedgerError) {
        followed.stop(error);
        return;
      }
      const reason = String(error);
      logger.warn({ event: 'ledger_history_unread', reason }, 'the history could not be read');
      await setTimeout(HISTORY_RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}

async function readToHead(
  { store, genesisHash }: FollowerOptions,
  followed: FollowedFold,
  elapsed: () => number,
): Promise<void> {
  for (;;) {
    if (followed.fault !== undefined) throw followed.fault;
    const startedAt = elapsed();
    const rows = await readBeyondHead(store, followed);
    // a vault without a genesis has no entries, whatever the database holds
    if (followed.view.state.seq === 0 && genesisHash() === undefined) rows.length = 0;
    await foldInTurns(rows, (turn) => followed.fold(turn));
    const isHead = isLastPage(rows);
    // a ledger that ends with a full page shows its head by an empty one
    if (rows.length > 0 || (isHead && followed.hasNoPin)) await followed.publish(isHead);
    if (isHead) {
      followed.confirm(startedAt);
      return;
    }
    await setImmediate();
  }
}

/** Whether a page's rows and bytes leave room: the head that it began with and one more entry would fit. */
function isLastPage(rows: readonly EntryRow[]): boolean {
  const bytes = rows.reduce((sum, { body }) => sum + body.length, 0);
  return rows.length < PAGE && bytes + 2 * MAX_ENTRY_BYTES <= PAGE_BYTES;
}

/** Reads the head again with what follows it: a ledger that lacks it was rolled back. */
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
