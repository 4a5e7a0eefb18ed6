import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a file of its owner alone (mode 0600), its folder too where that is missing. The old text or the new one is
 * there at every moment, and the new one for good when this resolves. A long text may come in pieces.
 *
 * Steps that take microseconds are taken at once: each of them would come back a turn of the event loop later, and
 * under load that is what a pin, and with it a freeze, would wait for.
 */
export async function replaceDurably(
  path: string,
  text: string | AsyncIterable<string>,
): Promise<void> {
  const temporary = `${path}.new`;
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const [file, listing] = await openBoth(open(temporary, 'w', 0o600), open(folder, 'r'));
  try {
    if (typeof text === 'string') writeFileSync(file.fd, text);
    else await writeFile(file, text);
    await file.sync();
    renameSync(temporary, path);
    await listing.sync();
  } catch (error) {
    removeAside(temporary);
    throw error;
  } finally {
    for (const one of [file, listing]) closeAside(one);
  }
}

/** What broke off halfway would keep its room: a disk that is full of it stays full. */
function removeAside(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // the write is told to have failed as it is
  }
}

/** Both of them or, where one cannot be opened, none. */
async function openBoth(
  ...opening: readonly [Promise<FileHandle>, Promise<FileHandle>]
): Promise<[FileHandle, FileHandle]> {
  try {
    return await Promise.all(opening);
  } catch (error) {
    for (const one of opening) one.then(closeAside, () => undefined);
    throw error;
  }
}

/** What was to be written is on the disk by now, or was given up. */
function closeAside(file: FileHandle): void {
  file.close().catch(() => undefined);
}
