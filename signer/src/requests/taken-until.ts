/**
 * Up to when the processes of a primary replica's folder have taken requests. The mark lies a little ahead of the clock and is on
 * the disk before anything is taken that is newer: so a process that starts knows what the one before it may have
 * taken, however that ended, and takes all that came after.
 */
import { readFile } from 'node:fs/promises';
import { replaceDurably } from '@countersign/runtime/process/replace-durably.js';
import { watchTrouble } from '@countersign/runtime/process/trouble.js';
import { AHEAD_MS } from './request-memory.js';

/** How far ahead the mark is written, ms, and how often. */
const AHEAD_OF_CLOCK_MS = 2_000;
const RENEW_MS = 1_000;

export interface TakenUntil {
  /** The mark that the process before this one left, ms; 0 where there was none. */
  readonly before: number;
  /** The mark on the disk, ms. */
  until(): number;
  /** Why the disk does not take the mark; undefined while it does. */
  readonly trouble: string | undefined;
  /** Nothing is taken any more: the mark is now. */
  stop(): Promise<void>;
}

/** `now`: ms. Throws on a file that cannot be read. */
export async function openTakenUntil(
  path: string,
  now: () => number,
  onTrouble: (reason: string) => void,
  renewMs = RENEW_MS,
): Promise<TakenUntil> {
  const before = await readMark(path);
  let mark = 0;
  let writing = Promise.resolve();
  const trouble = watchTrouble({
    onLasting: (reason) => onTrouble(`the mark of requests is not written: ${reason}`),
    elapsed: now,
  });

  async function write(next: number): Promise<void> {
    await replaceDurably(path, `${next}\n`);
    mark = next;
    trouble.end();
  }

  function renew(): void {
    writing = writing
      .then(() => write(Math.max(before, now() + AHEAD_OF_CLOCK_MS)))
      .catch((error: unknown) => trouble.note(String(error)));
  }

  renew();
  await writing;
  const timer = setInterval(renew, renewMs);
  return {
    before,
    until: () => mark,
    get trouble() {
      return trouble.reason;
    },
    async stop() {
      clearInterval(timer);
      await writing;
      await write(Math.max(before, now()));
    },
  };
}

/**
 * Until a process takes what it is asked for now. One that showed itself before would be sent requests that it may never
 * sign. No longer than the mark of a clock that was right can lie ahead. `takesFrom`: ms.
 */
export async function untilTaken(takesFrom: number, now: () => number): Promise<void> {
  const waitMs = Math.min(takesFrom - now(), AHEAD_OF_CLOCK_MS + AHEAD_MS);
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
}

async function readMark(path: string): Promise<number> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
  if (!/^\d{1,16}\n$/.test(text)) throw new Error(`${path}: no mark of requests`);
  return Number(text);
}
