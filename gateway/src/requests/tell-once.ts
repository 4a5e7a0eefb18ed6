import { createOnce } from '@countersign/core/bounded-map.js';
import type { Alarm, Alarms } from '@countersign/runtime/alarms/alarms.js';

const MAX_REMEMBERED = 10_000;

/** Raises an alarm once for each name: a bad row in a store is met again at every look. */
export function createTellOnce(alarms: Alarms): (name: string, alarm: Alarm) => void {
  const isNew = createOnce(MAX_REMEMBERED);
  return (name, alarm) => {
    if (isNew(name)) alarms.raise(alarm);
  };
}
