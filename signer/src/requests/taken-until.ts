/**
 * Up to when the processes of a keeper's folder have taken requests. The mark lies a little ahead of the clock and is on
 * the disk before anything is taken that is newer: so a process that starts knows what the one before it may have
 * taken, however that ended, and takes all that came after.
 */
import { readFile } from 'node:fs/promises';
import { replaceDurably } from '@countersign/runtime/process/replace-durably.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { AHEAD_MS } from './request-memory.js';

/** How far ahead the mark is written, ms, and how often. */
const AHEAD_OF_CLOCK_MS = 2_000;
const RENEW_MS = 1_000;

export interface TakenUntil {
  /** The mark that the process before this one left, ms; 0 where there was none. */
  readonly before: number;
  /** The mark on the disk, ms. */
  until(): number;
  /** Nothing is taken any more: the mark is now. */
  stop(): Promise<void>;
}

/** `now`: ms. Throws on a file that cannot be read. */
export async function openTakenUntil(
  path: string,
  now: () => number,
  logger: Pick<Logger, 'error'>,
): Promise<TakenUntil> {
  const before = await readMark(path);
  let mark = 0;
  let writing = Promise.resolve();

  async function write(next: number): Promise<void> {
    await replaceDurably(path, `${next}\n`);
    mark = next;
  }

  function renew(): void {
    writing = writing
      .then(() => write(Math.max(before, now() + AHEAD_OF_CLOCK_MS)))
      .catch((error: unknown) =>
        logger.error({ event: 'mark_not_written', reason: String(error) }, 'no request is taken'),
      );
  }

  renew();
  await writing;
  const timer = setInterval(renew, RENEW_MS);
  return {
    before,
    until: () => mark,
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
