/**
 * A mark says up to when the processes of a primary replica's folder have taken requests. It lies a little ahead of the
 * clock and is on the disk before anything newer is taken. So a process that starts knows what the one before it may
 * have taken, however that ended, and takes all that came after. Whoever takes a request has it renewed. Where nothing
 * is asked it is written now and then, so that a full disk is noticed.
 *
 * The file is one line: the mark, ms. If the folder was once lost, a space follows and the moment before which no file
 * knows any request, ms.
 */
import { readFile } from 'node:fs/promises';
import { TIMESTAMP_WINDOW_MS } from '@countersign/vault/authentication/authenticate.js';
import { replaceDurably } from '@countersign/runtime/process/replace-durably.js';
import { openTicks } from '@countersign/runtime/process/ticks.js';
import { watchTrouble, type Trouble } from '@countersign/runtime/process/trouble.js';
import { AHEAD_MS } from './request-memory.js';

/** How far ahead the mark is written, ms. */
const AHEAD_OF_CLOCK_MS = 2_000;
/** With less than this left it is written anew, ms. */
const RENEWED_BELOW_MS = 1_000;
/** Whoever takes a request waits for that with less than this left: the mark must not pass while he decides. */
const AWAITED_BELOW_MS = 500;
/** How often it is written where nothing is asked, ms. */
const LOOK_EVERY_MS = 5_000;
/** A disk that did not take it is tried again after this, ms. */
const TRY_AGAIN_MS = 1_000;

/** What earlier processes left. */
export interface EarlierTaken {
  /** Up to when they may have taken requests, ms; 0 where there was none. */
  readonly before: number;
  /** As `forgottenBefore` of the request memory, ms. */
  readonly forgotten: number;
}

export interface TakenUntil extends EarlierTaken {
  /** The mark on the disk, ms. */
  until(): number;
  /** Resolves once the mark is far enough ahead to take a request, or the disk did not take it. */
  ready(): Promise<void>;
  /** Why the disk does not take the mark; undefined while it does. */
  readonly trouble: string | undefined;
  /** Ends the taking: sets the mark to now. */
  stop(): Promise<void>;
}

export interface TakenUntilOptions {
  /** ms */
  readonly now: () => number;
  /** This process's own monotonic clock, ms. */
  readonly elapsed: () => number;
  /** Whether this folder had a process before: a mark that is not there then was lost. */
  readonly isRestarted: boolean;
  onTrouble(reason: string): void;
  readonly lookEveryMs?: number;
  readonly tryAgainMs?: number;
}

/** Throws on a file that cannot be read. */
export async function openTakenUntil(
  path: string,
  options: TakenUntilOptions,
): Promise<TakenUntil> {
  const { isRestarted, now } = options;
  const unknown = isRestarted ? allForgotten(now()) : { before: 0, forgotten: 0 };
  return openMark(path, (await readMark(path)) ?? unknown, options);
}

async function openMark(
  path: string,
  { before, forgotten }: EarlierTaken,
  options: TakenUntilOptions,
): Promise<TakenUntil> {
  const { now, lookEveryMs = LOOK_EVERY_MS, tryAgainMs = TRY_AGAIN_MS } = options;
  let mark = 0;
  /** The latest moment at which a request was taken. */
  let takenAt = 0;
  let isStopped = false;
  let writing: Promise<void> | undefined;
  let again: NodeJS.Timeout | undefined;
  const trouble = watchMark(options);

  async function write(next: number): Promise<void> {
    await replaceDurably(path, printMark({ before: next, forgotten }));
    mark = next;
    trouble.end();
  }

  function renew(): Promise<void> {
    writing ??= write(Math.max(before, mark, now() + AHEAD_OF_CLOCK_MS))
      .catch((error: unknown) => {
        trouble.note(String(error));
        // whoever says that it is in trouble is asked for nothing: it finds out by itself that it is over
        clearTimeout(again);
        if (!isStopped) again = setTimeout(() => void renew(), tryAgainMs).unref();
      })
      .finally(() => (writing = undefined));
    return writing;
  }

  await renew();
  const ticks = openTicks(lookEveryMs, () => void renew());
  return {
    before,
    forgotten,
    until: () => mark,
    async ready() {
      if (isStopped) return;
      takenAt = Math.max(takenAt, now());
      await renewBelow(() => mark - now(), renew);
    },
    get trouble() {
      return trouble.reason;
    },
    async stop() {
      isStopped = true;
      ticks.stop();
      await writing;
      clearTimeout(again);
      // a clock that was set back does not know up to when requests were taken: the mark stays
      if (mark > now() && now() >= takenAt) await write(Math.max(before, now()));
    },
  };
}

function watchMark({ onTrouble, elapsed }: TakenUntilOptions): Trouble {
  return watchTrouble({
    onLasting: (reason) => onTrouble(`the mark of requests is not written: ${reason}`),
    elapsed,
  });
}

/** Renews a mark of which little is left, and waits where too little is. */
async function renewBelow(leftMs: () => number, renew: () => Promise<void>): Promise<void> {
  const left = leftMs();
  if (left >= RENEWED_BELOW_MS) return;
  const renewed = renew();
  if (left >= AWAITED_BELOW_MS) return;
  await renewed;
  // a write that was under way may have begun long before
  if (leftMs() < AWAITED_BELOW_MS) await renew();
}

/**
 * A folder whose files are lost may have taken everything that a caller, whose clock may be ahead, can have asked for
 * by now. `now`: ms.
 */
export function allForgotten(now: number): EarlierTaken {
  const until = now + TIMESTAMP_WINDOW_MS;
  return { before: until, forgotten: until };
}

export function printMark({ before, forgotten }: EarlierTaken): string {
  return forgotten === 0 ? `${before}\n` : `${before} ${forgotten}\n`;
}

/**
 * Waits until a process takes what it is asked for now. If it showed itself before, it would be sent requests that it
 * may never sign. Waits no longer than the mark of a right clock can lie ahead. `takesFrom`: ms.
 */
export async function untilTaken(
  takesFrom: number,
  now: () => number,
  onWait: (ms: number) => void = () => undefined,
): Promise<void> {
  const waitMs = Math.min(takesFrom - now(), TIMESTAMP_WINDOW_MS + AHEAD_MS);
  if (waitMs <= 0) return;
  onWait(waitMs);
  await new Promise((resolve) => setTimeout(resolve, waitMs));
}

export async function readMark(path: string): Promise<EarlierTaken | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const [, before, forgotten] = /^(\d{1,16})(?: (\d{1,16}))?\n$/.exec(text) ?? [];
  if (before === undefined) throw new Error(`${path}: no mark of requests`);
  return { before: Number(before), forgotten: Number(forgotten ?? 0) };
}
