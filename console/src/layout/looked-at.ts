/** When this browser last showed the alarms to somebody. */
import { useSyncExternalStore } from 'react';

const KEPT = 'countersign.alarms-looked-at';
const told = new Set<() => void>();

/** ms; 0: never. */
export function useLookedAt(): number {
  return useSyncExternalStore(
    (tell) => {
      told.add(tell);
      return () => told.delete(tell);
    },
    () => Number(localStorage.getItem(KEPT) ?? 0) || 0,
  );
}

/** `at`: of the newest alarm that was shown, ms. */
export function noteLooked(at: number): void {
  if (at <= (Number(localStorage.getItem(KEPT)) || 0)) return;
  localStorage.setItem(KEPT, String(at));
  for (const tell of told) tell();
}
