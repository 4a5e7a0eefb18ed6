/**
 * Parts of the week in the local time of a place. Which zones there are, and when their clocks change, is known by the
 * time zone data of the runtime: a zone that this node does not know is told apart from a time that is outside.
 */
import { asciiLowerCase } from '@countersign/core/ascii-case.js';
import { WEEKDAYS, type Weekday } from '@countersign/core/vocabulary.js';
import type { TimeWindow } from '../state/state.js';

/** Building one costs a hundred times as much as using it; there are some six hundred zones. */
const CLOCKS = new Map<string, Intl.DateTimeFormat>();

/** Whether `at` (ms since the Unix epoch) lies in the window; undefined where the zone is not known here. */
export function isInWindow(window: TimeWindow, at: number): boolean | undefined {
  const local = localTime(window.timeZone, at);
  if (local === undefined) return undefined;
  const { from = '00:00', to = '24:00' } = window;
  const isDay = (day: Weekday) => window.days?.includes(day) ?? true;
  if (from < to) return isDay(local.day) && from <= local.time && local.time < to;
  return local.time >= from ? isDay(local.day) : local.time < to && isDay(dayBefore(local.day));
}

/** Whether this release's time zone data has it. */
export function isTimeZone(name: string): boolean {
  return clockOf(name) !== undefined;
}

function localTime(zone: string, at: number): { day: Weekday; time: string } | undefined {
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

function dayBefore(day: Weekday): Weekday {
  return WEEKDAYS.at(WEEKDAYS.indexOf(day) - 1)!;
}
