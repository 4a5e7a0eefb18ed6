import type { Alarm, Alarms } from '@countersign/runtime/alarms/alarms.js';

const MAX_REMEMBERED = 10_000;

/** Raises an alarm once for each name: what stands in a store is met again at every look. */
export function createTellOnce(alarms: Alarms): (name: string, alarm: Alarm) => void {
  const told = new Set<string>();
  return (name, alarm) => {
    if (told.has(name)) return;
    if (told.size >= MAX_REMEMBERED) told.delete(told.values().next().value!);
    told.add(name);
    alarms.raise(alarm);
  };
}
