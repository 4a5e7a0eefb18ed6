/** Starts a program again whenever it dies, until it is to stop. */
import { setTimeout } from 'node:timers/promises';
import { attemptAfter, restartDelayMs } from './restart-delay.js';
import type { VaultProcess } from './vault-process.js';

export interface KeptRunning {
  /** The process that runs, or ran last. */
  readonly current: VaultProcess;
  /** Resolves when the program has stopped; only after `stopping` was aborted. */
  stopped(): Promise<void>;
}

export interface KeepRunningOptions {
  readonly stopping: AbortSignal;
  /** One line for each end and each return. */
  readonly say: (line: string) => void;
  readonly now?: () => number;
  readonly wait?: (delayMs: number, stopping: AbortSignal) => Promise<void>;
}

/** `start` makes another process of the same program; it may reject, and is then called again later. */
export function keepRunning(
  first: VaultProcess,
  start: () => Promise<VaultProcess>,
  { stopping, say, now = Date.now, wait = waitUnlessStopping }: KeepRunningOptions,
): KeptRunning {
  const { name } = first;
  let current = first;
  let startedAt = now();
  let attempt = 0;
  const aborted = untilAborted(stopping);

  async function watch(): Promise<void> {
    while (!stopping.aborted) {
      const code = await Promise.race([current.exited, aborted]);
      if (stopping.aborted || code === undefined) return;
      attempt = attemptAfter(attempt, now() - startedAt);
      await startAgain(`${name} (pid ${current.pid}) ended (${code})`);
    }
  }

  async function startAgain(reason: string): Promise<void> {
    for (let why = reason; !stopping.aborted; attempt += 1) {
      const delayMs = restartDelayMs(attempt);
      say(`${why}; starting it again in ${delayMs / 1000} s (attempt ${attempt})`);
      await wait(delayMs, stopping);
      if (stopping.aborted) return;
      try {
        current = await start();
        startedAt = now();
        say(`${name} is back (pid ${current.pid})`);
        return;
      } catch (error) {
        why = firstLine(error);
      }
    }
  }

  const watched = watch();
  return {
    get current() {
      return current;
    },
    async stopped() {
      await watched;
      await current.stop();
    },
  };
}

async function waitUnlessStopping(delayMs: number, stopping: AbortSignal): Promise<void> {
  await setTimeout(delayMs, undefined, { signal: stopping }).catch(() => undefined);
}

function untilAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

/** What follows is the program's own last output, which has been shown already. */
function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0]!.replace(/:$/, '');
}
