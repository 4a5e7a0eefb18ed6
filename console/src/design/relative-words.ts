/** Looked at no more often: what is nearer than this is now. */
export const TICK_MS = 10_000;
const FARTHEST_MS = 7 * 86_400_000;

/** The page's words are English, whatever the browser's are. */
const WORDS = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** A moment as somebody would say it beside now: `3 minutes ago`, `in 2 hours`; undefined where a date says more. */
export function relativeWords(at: number, now: number): string | undefined {
  const away = Math.abs(at - now);
  if (away >= FARTHEST_MS) return undefined;
  if (away < TICK_MS) return 'now';
  const [unit, length] = UNITS.find(([, ms]) => away >= ms) ?? UNITS[0];
  return WORDS.format(Math.sign(at - now) * Math.floor(away / length), unit);
}
