/**
 * The local time of a place. The runtime's time zone data tells which zones there are, and when their clocks change. A
 * zone that this node does not know has no time.
 */
import type { LocalTime } from '@countersign/api/conditions/condition.js';
import { asciiLowerCase } from '@countersign/core/ascii-case.js';
import { WEEKDAYS } from '@countersign/core/vocabulary.js';

/** Building one costs a hundred times as much as using it; there are some six hundred zones. */
const CLOCKS = new Map<string, Intl.DateTimeFormat>();

/** Whether this release's time zone data has the zone. */
export function isTimeZone(name: string): boolean {
  return clockOf(name) !== undefined;
}

/** Local time at `at` (ms since the Unix epoch); undefined if the zone is not known here. */
export function localTimeIn(zone: string, at: number): LocalTime | undefined {
  const parts = clockOf(zone)?.formatToParts(at);
  if (parts === undefined) return undefined;
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '';
  const day = WEEKDAYS.find((name) => name === asciiLowerCase(part('weekday')));
  if (day === undefined) throw new Error('the runtime names a day of the week otherwise');
  return { day, time: `${part('hour')}:${part('minute')}` };
}

function clockOf(zone: string): Intl.DateTimeFormat | undefined {
  const known = CLOCKS.get(zone);
  if (known !== undefined) return known;
  try {
    const clock = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    CLOCKS.set(zone, clock);
    return clock;
  } catch (error) {
    if (error instanceof RangeError) return undefined; // its only way to say that there is no such zone
    throw error;
  }
}
