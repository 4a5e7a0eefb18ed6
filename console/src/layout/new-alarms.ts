import { useEffect } from 'react';
import { NEWEST_ALARMS, useRows } from '../vault/vault-queries.js';
import { newAlarmsIn } from './health-facts.js';
import { noteLooked, useLookedAt } from './looked-at.js';

const LOOK_MS = 10_000;

/** How many alarms were raised since this browser showed them; 0 for who may not look. At most twenty are counted. */
export function useNewAlarms(): number {
  const lookedAt = useLookedAt();
  return newAlarmsIn(useAlarms(), lookedAt);
}

/** For the screen that shows them: who leaves it has seen them. */
export function useSeenAlarms(): void {
  const [newest] = useAlarms();
  const at = newest === undefined ? 0 : Date.parse(newest.at);
  useEffect(() => () => noteLooked(at), [at]);
}

function useAlarms() {
  const options = { everyMs: LOOK_MS, stopsWhereRefused: true };
  return useRows('list-alarms', NEWEST_ALARMS, options).rows;
}
