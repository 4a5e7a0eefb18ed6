/** When this replica may take part in the next run for stock. */
export interface StockPace {
  /** ms. */
  readonly pausedUntil: number;
  /** How long the pause after the next failure is, for the party that calls. */
  readonly pauseMs: number;
}

export const STOCK_CHECK_MS = 2_000;
const FIRST_PAUSE_MS = 4_000;
const MAX_PAUSE_MS = 300_000;

export const FIRST_PACE: StockPace = { pausedUntil: 0, pauseMs: FIRST_PAUSE_MS };

export function isPaused({ pausedUntil }: StockPace, now: number): boolean {
  return now < pausedUntil;
}

/** This party has stored a share: what failed before is forgotten. */
export function afterStored(pace: StockPace): StockPace {
  return { ...pace, pauseMs: FIRST_PAUSE_MS };
}

/**
 * Each failure doubles the pause. It is shorter for a party that joins, so that the next run that is called in time
 * finds both others ready.
 */
export function afterFailure({ pauseMs }: StockPace, now: number, isCaller: boolean): StockPace {
  return {
    pausedUntil: now + (isCaller ? pauseMs : pauseMs / 2),
    pauseMs: Math.min(pauseMs * 2, MAX_PAUSE_MS),
  };
}

/** The others end at their own pace: the next run must not come before they have stored theirs. */
export function afterCalledRun(pace: StockPace, now: number): StockPace {
  return { ...pace, pausedUntil: now + STOCK_CHECK_MS };
}
