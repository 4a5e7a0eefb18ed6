import { randomUUID } from 'node:crypto';
import { link, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode, readIfPresent } from './private-folder.js';
import { describeProcess } from './server-process.js';

const WAIT_LIMIT_MS = 180_000;
const POLL_MS = 25;

/**
 * Runs `work` while this process alone holds the lock file `path` (its folder must exist).
 * Others wait, by default up to three minutes: a first start may download packages. The lock of a
 * process that has died is taken over.
 *
 * Throws an Error naming the holder when the wait is over, or whatever `work` throws.
 */
export async function withFolderLock<T>(
  path: string,
  work: () => Promise<T>,
  waitMs = WAIT_LIMIT_MS,
): Promise<T> {
  const content = await describeHolder();
  await acquire(path, content, waitMs);
  try {
    return await work();
  } finally {
    if ((await readIfPresent(path)) === content) await rm(path, { force: true });
  }
}

/** Three lines: pid, its start time (a pid may be used again), and a mark of this very call. */
async function describeHolder(): Promise<string> {
  const self = await describeProcess(process.pid);
  return `${process.pid}\n${self?.startedAt ?? ''}\n${randomUUID()}\n`;
}

/** Linking a finished file makes name and content appear together: no reader sees a half lock. */
async function acquire(path: string, content: string, waitMs: number): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  const deadline = Date.now() + waitMs;
  await writeFile(draft, content, { mode: 0o600, flag: 'wx' });
  try {
    while (!(await tryLink(draft, path))) {
      await removeIfStale(path);
      if (Date.now() > deadline) throw await heldError(path);
      await sleep(POLL_MS);
    }
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Moves a dead holder's lock away. Of several waiters only one can move a given file; whoever finds
 * that it moved a newer lock than the one it had judged puts that back.
 */
async function removeIfStale(path: string): Promise<void> {
  const seen = await readIfPresent(path);
  if (seen === undefined || (await isHolderAlive(seen))) return;
  const moved = `${path}.${randomUUID()}`;
  try {
    await rename(path, moved);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  if ((await readIfPresent(moved)) !== seen) await tryLink(moved, path);
  await rm(moved, { force: true });
}

async function isHolderAlive(content: string): Promise<boolean> {
  const [pid = '', startedAt = ''] = content.split('\n');
  const found = await describeProcess(Number(pid));
  return found !== undefined && found.startedAt === startedAt;
}

async function heldError(path: string): Promise<Error> {
  const [pid = '?'] = ((await readIfPresent(path)) ?? '').split('\n');
  return new Error(`${path} is held by process ${pid}, which has not let go of it`);
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}
