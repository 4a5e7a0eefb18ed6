/** Whether a server's clock and this host's show the same time. */
import { fault, ok, warning, type Finding } from './finding.js';

/** From here on bots' requests are refused as too old or too new now and then. */
const NOTICED_MS = 1_000;
/** Parties that hear from each other in seconds take what is new for old. */
const WRONG_MS = 10_000;

/** `read`: the server's time, ms. Half of what asking took is what is not known. */
export async function checkClock(about: string, read: () => Promise<number>): Promise<Finding> {
  const before = Date.now();
  const theirs = await read();
  const after = Date.now();
  const apartMs = Math.round(theirs - (before + after) / 2);
  return judgeClock(about, apartMs, (after - before) / 2);
}

/** `apartMs`: how far the server is ahead. */
export function judgeClock(about: string, apartMs: number, unsureMs: number): Finding {
  const surelyMs = Math.max(0, Math.abs(apartMs) - unsureMs);
  const way = apartMs > 0 ? 'ahead of' : 'behind';
  const says = `its clock is ${(Math.abs(apartMs) / 1_000).toFixed(1)} s ${way} this host's`;
  const advice =
    'compare both with a time server (`chronyc tracking`), and set the one that is wrong';
  if (surelyMs >= WRONG_MS) return fault(about, says, advice);
  if (surelyMs >= NOTICED_MS) return warning(about, says, advice);
  return ok(about, "its clock and this host's show the same time");
}
