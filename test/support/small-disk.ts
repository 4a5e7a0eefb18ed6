/** A file system of a few pages, which a test can fill to the last byte. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeSync, openSync, closeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  readonly folder: string;
  /** From now on nothing more can be written there. */
  fill(): void;
  /** There is room again. */
  free(): void;
  close(): void;
}

const SIZE = '512k';

/** Whether this process may mount a file system. */
export function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'may-mount-'));
  try {
    openSmallDisk(join(folder, 'disk')).close();
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Throws where this process may not mount. */
export function openSmallDisk(folder: string): SmallDisk {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=0700`, 'tmpfs', folder], {
    stdio: 'ignore',
  });
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill: () => fillFile(ballast),
    free: () => rmSync(ballast, { force: true }),
    close: () => execFileSync('umount', ['-l', folder]),
  };
}

function fillFile(path: string): void {
  const file = openSync(path, 'a');
  try {
    for (;;) writeSync(file, Buffer.alloc(4_096));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
}
