/**
 * The ledger's table, and nodes that follow it. The fold is the real one, made once for a run: it is the same on
 * every node by its own promise, and each node sees of it what it has read.
 */
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import {
  FollowedFold,
  rowsBeyond,
  type OutcomeListener,
} from '@countersign/runtime/ledger/followed-fold.js';
import { createLatestRun } from '@countersign/runtime/ledger/latest-run.js';
import type { LedgerPin } from '@countersign/runtime/ledger/ledger-pin.js';
import type { LedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import type { EntryRow } from '@countersign/vault/ledger/entry.js';
import { createFold, type Fold, type LedgerView } from '@countersign/vault/ledger/fold.js';
import { rechain } from '../support/ledger-builder.ts';
import type { Weather } from './race-weather.ts';
import type { SimulatedProcess } from './virtual-time.ts';

const POLL_MS = 250;

/** Who follows. */
export interface Reader {
  readonly process: SimulatedProcess;
  /** What a lying store shows to it ends where the run began. */
  readonly isBlinded: boolean;
  /** What it reads is so old at most by the time it has it, beyond what the weather does to everybody; ms. */
  readonly lag: number;
}

export interface SimulatedLedger {
  readonly rows: readonly EntryRow[];
  append: LedgerStore['append'];
  readAfter(reader: Reader, seq: number): Promise<EntryRow[]>;
  /** A fold at the beginning. */
  openFold(): Pick<Fold, 'view' | 'advance'>;
  /** Told after each commit. */
  listen(process: SimulatedProcess, wake: () => void): void;
}

export function createSimulatedLedger(
  { time, chance, delay, wait, isLost }: Weather,
  base: readonly EntryRow[],
  keys: EvidenceKeys,
): SimulatedLedger {
  const rows = [...base];
  const views: LedgerView[] = [];
  const outcomes: EntryOutcome[][] = [];
  const listeners: { readonly process: SimulatedProcess; readonly wake: () => void }[] = [];
  const fold = createFold({ keys });
  const empty = fold.view;
  foldAll();

  function foldAll(): void {
    for (const row of rows.slice(views.length)) {
      outcomes.push(fold.advance([row]));
      views.push(fold.view);
    }
  }

  function commit(bodies: readonly Uint8Array[]): EntryRow[] {
    const added = rechain(bodies, rows.at(-1));
    rows.push(...added);
    foldAll();
    for (const { process, wake } of listeners) {
      if (!isLost()) time.after(delay('notice'), wake, process);
    }
    return added;
  }

  return {
    rows,
    append: (bodies) =>
      new Promise((resolve) => {
        let added: EntryRow[] = [];
        // what was sent is committed, whatever becomes of the sender
        const committed = delay('append');
        time.after(committed, () => (added = commit(bodies)), null);
        time.after(committed + delay('append'), () => resolve(added));
      }),
    async readAfter({ isBlinded, lag }, seq) {
      await wait('read');
      const read = rows.slice(seq, isBlinded ? base.length : rows.length);
      await wait('read');
      if (lag > 0) await time.wait(chance.between(0, lag));
      return read;
    },
    openFold() {
      let seq = 0;
      return {
        get view() {
          return views[seq - 1] ?? empty;
        },
        advance(next) {
          const from = seq;
          for (const row of next) {
            if (rows[seq] !== row) throw new Error(`row ${row.seq} is not the one that follows`);
            seq += 1;
          }
          return outcomes.slice(from, seq).flat();
        },
      };
    },
    listen: (process, wake) => void listeners.push({ process, wake }),
  };
}

export interface SimulatedFollowerOptions {
  readonly ledger: SimulatedLedger;
  readonly weather: Weather;
  readonly reader: Reader;
  /** What the process before this one pinned; undefined for a node without pins. */
  readonly pins: { pinned: LedgerPin | undefined } | undefined;
  readonly onOutcomes?: OutcomeListener;
}

/** As `openLedgerFollower`, save for the database and pages of it. Resolves once the fold has reached the head. */
export async function openSimulatedFollower(
  options: SimulatedFollowerOptions,
): Promise<LedgerFollower> {
  const { ledger, weather, reader, pins, onOutcomes } = options;
  const genesisHash = Buffer.from(ledger.rows[0]!.hash).toString('hex');
  const followed = new FollowedFold({
    fold: ledger.openFold(),
    genesisHash: () => genesisHash,
    pinned: pins?.pinned,
    pin:
      pins === undefined
        ? undefined
        : async (pin) => {
            await weather.wait('pin');
            pins.pinned = pin;
          },
    onFault: () => undefined,
    onPinTrouble: () => undefined,
  });
  if (onOutcomes !== undefined) followed.onOutcomes(onOutcomes);
  const reads = createLatestRun(async () => {
    const startedAt = performance.now();
    const { state } = followed.view;
    const read = await ledger.readAfter(reader, Math.max(0, state.seq - 1));
    const rows = state.seq === 0 ? read : rowsBeyond(state, read);
    if (rows.length > 0) {
      followed.fold(rows);
      await followed.publish();
    }
    followed.confirm(startedAt);
  });
  await reads.run();
  const wake = () => void reads.run();
  ledger.listen(reader.process, wake);
  const poll = setInterval(wake, POLL_MS);
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
      return performance.now() - followed.confirmedAt;
    },
    get fault() {
      return followed.fault;
    },
    catchUp: () => reads.run(),
    waitUntil: (holds, timeoutMs) => followed.waitUntil(holds, timeoutMs),
    onOutcomes: (listener) => followed.onOutcomes(listener),
    async stop() {
      clearInterval(poll);
    },
  };
}
