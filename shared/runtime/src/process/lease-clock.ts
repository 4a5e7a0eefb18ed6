/** The clock of what is believed for a while only. */

/** A wall clock that is read in whole milliseconds, and is slewed, differs by less than this between two looks, ms. */
const LEAP_MS = 250;

/**
 * A monotonic clock, ms, that does not stand still while its host sleeps, as Linux's does: a leap of the wall clock
 * counts as time that went by. A step back counts as none. So a lease ends too early at worst, never too late.
 */
export function openLeaseClock(
  wall: () => number = Date.now,
  monotonic: () => number = () => performance.now(),
): () => number {
  let last = { wall: wall(), monotonic: monotonic() };
  let slept = 0;
  return () => {
    const now = { wall: wall(), monotonic: monotonic() };
    const leap = now.wall - last.wall - (now.monotonic - last.monotonic);
    if (leap > LEAP_MS) slept += leap;
    last = now;
    return now.monotonic + slept;
  };
}
