import type { Alarm, Alarms } from './alarms.js';

const EVERY_MS = 60_000;

interface Told {
  readonly at: number;
  /** Alarms since then that were not told. */
  untold: number;
}

/**
 * The first alarm of a kind about a party is told at once, others at most once a minute with how many there were:
 * whoever gives cause for alarms a thousand times a second fills nobody's log. `now`: ms.
 */
export function createSeldomAlarms(alarms: Alarms, now: () => number): Alarms {
  /** By kind and party: as few as there are kinds and parties. */
  const told = new Map<string, Told>();
  return {
    raise(alarm) {
      const name = `${alarm.kind} ${alarm.party ?? ''}`;
      const last = told.get(name);
      if (last !== undefined && now() - last.at < EVERY_MS) {
        last.untold += 1;
        return;
      }
      told.set(name, { at: now(), untold: 0 });
      alarms.raise(withUntold(alarm, last?.untold ?? 0));
    },
  };
}

function withUntold(alarm: Alarm, untold: number): Alarm {
  if (untold === 0) return alarm;
  return { ...alarm, reason: `${alarm.reason} (and ${untold} more since the last alarm)` };
}
