/** When a program that keeps dying is started again: soon, then ever later, and never not at all. */

const FIRST_MS = 250;
const CAP_MS = 30_000;
/** A run of this length was a good one: what ends it is a new fault, not the old one again. */
const STEADY_MS = 60_000;

/** The number of the next attempt, from 1. `previous` is that of the run that has ended, 0 for the first. */
export function attemptAfter(previous: number, ranForMs: number): number {
  return ranForMs >= STEADY_MS ? 1 : previous + 1;
}

/** Doubles with every attempt, up to half a minute. */
export function restartDelayMs(attempt: number): number {
  return Math.min(FIRST_MS * 2 ** (attempt - 1), CAP_MS);
}
