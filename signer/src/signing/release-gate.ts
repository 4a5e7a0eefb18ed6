/**
 * Knows what is under way in this replica, over which head it was decided, and what it could sign. A party acknowledges
 * a freeze only when nothing is under way any more that the freeze stops and that was decided before the freeze was
 * seen.
 */
import type { VaultState } from '@countersign/vault/state/state.js';

/** Tells whether this state freezes something that the work could sign. */
export type IsFrozenIn = (state: VaultState) => boolean;

export interface Release {
  /** Says what the work could sign. Until then every freeze counts as stopping it. */
  narrow(isFrozenIn: IsFrozenIn): void;
  /** Nothing of it can leave this replica any more, or come to a signature elsewhere. */
  done(): void;
}

/** What a replica has seen of the ledger. */
export interface Seen {
  readonly state: VaultState;
  readonly optimistic: VaultState;
}

export interface ReleaseGate {
  /** Something begins that rests on the ledger up to entry `seq`. */
  enter(seq: number): Release;
  /** The earliest head that something under way rests on; undefined when nothing is under way. */
  readonly oldest: number | undefined;
  /** The same, of work that `seen` freezes. */
  oldestFrozen(seen: Seen): number | undefined;
  /** Calls `listener` whenever work is done. */
  onDone(listener: () => void): void;
}

interface Entry {
  readonly seq: number;
  isFrozenIn: IsFrozenIn;
}

export function createReleaseGate(): ReleaseGate {
  const underWay = new Set<Entry>();
  const listeners: (() => void)[] = [];
  const oldestOf = (counts: (entry: Entry) => boolean) => {
    let oldest: number | undefined;
    for (const entry of underWay) {
      if (entry.seq < (oldest ?? Infinity) && counts(entry)) oldest = entry.seq;
    }
    return oldest;
  };
  return {
    enter(seq) {
      const entry: Entry = { seq, isFrozenIn: () => true };
      underWay.add(entry);
      return {
        narrow(isFrozenIn) {
          entry.isFrozenIn = isFrozenIn;
        },
        done() {
          if (!underWay.delete(entry)) return;
          for (const listener of listeners) listener();
        },
      };
    },
    get oldest() {
      return oldestOf(() => true);
    },
    oldestFrozen: ({ state, optimistic }) =>
      oldestOf(
        ({ isFrozenIn }) => isFrozenIn(optimistic) || (optimistic !== state && isFrozenIn(state)),
      ),
    onDone(listener) {
      listeners.push(listener);
    },
  };
}
