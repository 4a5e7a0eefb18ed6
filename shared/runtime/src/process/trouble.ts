/** Something that fails now and may work again: since when, why, and whether somebody has been told. */

/** Nobody is told of trouble that is over by then, ms. */
export const TOLD_AFTER_MS = 3_000;

export interface Trouble {
  /** Why it fails; undefined while it does not. */
  readonly reason: string | undefined;
  /** It failed, once more. */
  note(reason: string): void;
  /** It works. */
  end(): void;
}

export interface TroubleOptions {
  /** Once for each time that it has failed for some seconds. */
  onLasting(reason: string): void;
  /** ms, of a clock that nobody sets. */
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
