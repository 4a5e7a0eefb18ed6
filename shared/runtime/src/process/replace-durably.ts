import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a file for its owner alone (mode 0600), and makes its folder if that is missing. The old text or the new one
 * is there at every moment, and the new one for good when this resolves. A long text may come in pieces.
 *
 * Steps that take microseconds are synchronous. Otherwise each would return one turn of the event loop later: under
 * load a pin, and with it a freeze, would wait for that.
 */
export async function replaceDurably(
  path: string,
  text: string | Uint8Array | AsyncIterable<string>,
): Promise<void> {
  const temporary = `${path}.new`;
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const [file, listing] = await openBoth(open(temporary, 'w', 0o600), open(folder, 'r'));
  try {
    if (typeof text === 'string' || text instanceof Uint8Array) writeFileSync(file.fd, text);
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

/** Removes an unfinished file, which would otherwise keep a full disk full. */
function removeAside(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // the write's own error is thrown
  }
}

/** Opens both of them, or neither if one cannot be opened. */
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

/** By now the content is on the disk, or was given up. */
function closeAside(file: FileHandle): void {
  file.close().catch(() => undefined);
}
