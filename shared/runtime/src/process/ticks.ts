/**
 * Work that is done at intervals. All of a process ticks at multiples of its interval since the process began, so that
 * what is due together wakes the process once.
 */
export interface Ticks {
  stop(): void;
}

/** A timer may fire so much before it is due. */
const EARLY_MS = 5;

/** The first tick comes about within the interval. After a standstill nothing is made up for. Ticks alone keep no process alive. */
export function openTicks(everyMs: number, work: () => void): Ticks {
  let timer: NodeJS.Timeout;

  function plan(): void {
    const left = everyMs - (performance.now() % everyMs);
    timer = setTimeout(run, Math.ceil(left < EARLY_MS ? left + everyMs : left)).unref();
  }

  function run(): void {
    plan();
    work();
  }

  plan();
  return { stop: () => clearTimeout(timer) };
}
