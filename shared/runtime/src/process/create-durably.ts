import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a file, for its owner alone where `mode` says nothing else, and its folder if that is missing. It is there for
 * good when this returns. Throws when there is one (EEXIST), and leaves none behind when it throws for another reason.
 */
export function createDurably(
  path: string,
  content: string | Uint8Array,
  { mode = 0o600, sync = fsyncSync }: { mode?: number; sync?: (file: number) => void } = {},
): void {
  const folder = dirname(resolve(path));
  const firstMade = mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = openSync(path, 'wx', mode);
  try {
    writeFileSync(file, content);
    sync(file);
    syncFolders(folder, firstMade === undefined ? folder : dirname(resolve(firstMade)), sync);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** For what belongs together, before any of it is made: half of it would stop the next try. */
export function requireNew(paths: readonly string[]): void {
  const there = paths.find((path) => existsSync(path));
  if (there === undefined) return;
  throw new Error(`EEXIST: ${there} is there, and nothing is written over it`);
}

/** From the folder up to `last`. A new folder is lost with all in it until the one above knows it for good. */
function syncFolders(folder: string, last: string, sync: (file: number) => void): void {
  for (let one = folder; ; one = dirname(one)) {
    const listing = openSync(one, 'r');
    try {
      sync(listing);
    } finally {
      closeSync(listing);
    }
    if (one === last) return;
  }
}
