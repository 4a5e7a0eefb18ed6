/**
 * Work that is done at intervals. All of a process ticks at multiples of its interval since the process began, so that
 * what is due together wakes the process once.
 */
export interface Ticks {
  stop(): void;
}

/** The first tick comes within the interval. Ticks alone keep no process alive. */
export function openTicks(everyMs: number, work: () => void): Ticks {
  let tick = Math.floor(performance.now() / everyMs);
  let timer: NodeJS.Timeout;

  function plan(): void {
    // a timer may fire a little early, and after a standstill nothing is made up for
    tick = Math.max(tick + 1, Math.ceil(performance.now() / everyMs));
    timer = setTimeout(run, Math.ceil(tick * everyMs - performance.now())).unref();
  }

  function run(): void {
    plan();
    work();
  }

  plan();
  return { stop: () => clearTimeout(timer) };
}
