/** What is drawn of a history: the minutes of a range, with a gap where the gateway saw none. */
import type { OperationValue } from '@countersign/client/operation-calls.js';

export type SystemHistory = OperationValue<'get-system-history'>;
type Minutes = SystemHistory['minutes'];

export interface ChartColumns {
  /** Starts of minutes, seconds. */
  readonly at: readonly number[];
  /** Of one column of the history, in the same places; null: nothing was measured. */
  pick(column: readonly (number | null)[]): (number | null)[];
}

const MINUTE_S = 60;

/** `from`: seconds. The minute that has only begun is drawn where there is no whole one. */
export function columnsOf({ at: times }: Minutes, from: number): ChartColumns {
  const starts = times.map((time) => Date.parse(time) / 1_000);
  const whole = starts.length > 1 ? starts.slice(0, -1) : starts;
  const at: number[] = [];
  const places: (number | undefined)[] = [];
  for (const [place, start] of whole.entries()) {
    if (start < from) continue;
    const last = at.at(-1);
    if (last !== undefined && start - last > MINUTE_S) {
      at.push(last + MINUTE_S);
      places.push(undefined);
    }
    at.push(start);
    places.push(place);
  }
  return {
    at,
    pick: (column) => places.map((place) => (place === undefined ? null : (column[place] ?? null))),
  };
}

/** Per second, of counts by the minute. */
export function perSecond(counts: readonly number[]): number[] {
  return counts.map((count) => count / MINUTE_S);
}
