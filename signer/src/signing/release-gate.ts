/**
 * Knows what is under way in this replica and over which head it was decided. A party says that it obeys a
 * freeze only when nothing is under way any more that was decided before the freeze was seen.
 */

export interface Release {
  /** Nothing of it can leave this replica any more, or come to a signature elsewhere. */
  done(): void;
}

export interface ReleaseGate {
  /** Something begins that rests on the ledger up to entry `seq`. */
  enter(seq: number): Release;
  /** The earliest head that something under way rests on; undefined when nothing is under way. */
  readonly oldest: number | undefined;
  /** Told whenever something was done. */
  onDone(listener: () => void): void;
}

export function createReleaseGate(): ReleaseGate {
  const underWay = new Set<{ readonly seq: number }>();
  const listeners: (() => void)[] = [];
  return {
    enter(seq) {
      const entry = { seq };
      underWay.add(entry);
      return {
        done() {
          if (!underWay.delete(entry)) return;
          for (const listener of listeners) listener();
        },
      };
    },
    get oldest() {
      let oldest: number | undefined;
      for (const { seq } of underWay) oldest = Math.min(oldest ?? seq, seq);
      return oldest;
    },
    onDone(listener) {
      listeners.push(listener);
    },
  };
}
