/** The time that the page goes by: the vault's, where it was told how far it is ahead of this machine's. */
import { useSyncExternalStore } from 'react';
import { TICK_MS } from './relative-words.js';

let aheadMs = 0;

export function setClockAhead(ms: number): void {
  aheadMs = ms;
}

/** ms; all of a page have one clock, which moves on every ten seconds. */
export function useNow(): number {
  return useSyncExternalStore(onTick, now);
}

function now(): number {
  return Math.floor((Date.now() + aheadMs) / TICK_MS) * TICK_MS;
}

const told = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | undefined;

function onTick(tell: () => void): () => void {
  told.add(tell);
  ticking ??= setInterval(() => told.forEach((one) => one()), 1_000);
  return () => {
    told.delete(tell);
    if (told.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };
}
