/** Watches something that fails and may work again: why it fails, and whether somebody was told. */

/** Trouble that ends within this time is told to nobody, ms. */
export const TOLD_AFTER_MS = 3_000;

export interface Trouble {
  /** Why it fails; undefined while it does not. */
  readonly reason: string | undefined;
  /** Notes a failure. */
  note(reason: string): void;
  /** Notes that it works. */
  end(): void;
}

export interface TroubleOptions {
  /** Called once each time that it has failed for some seconds. */
  onLasting(reason: string): void;
  /** ms, from a monotonic clock. */
  readonly elapsed?: () => number;
}

export function watchTrouble({
  onLasting,
  elapsed = () => performance.now(),
}: TroubleOptions): Trouble {
  let reason: string | undefined;
  let since = 0;
  let isTold = false;
  return {
    get reason() {
      return reason;
    },
    note(why) {
      if (reason === undefined) since = elapsed();
      reason = why;
      if (isTold || elapsed() - since < TOLD_AFTER_MS) return;
      isTold = true;
      onLasting(why);
    },
    end() {
      reason = undefined;
      isTold = false;
    },
  };
}
