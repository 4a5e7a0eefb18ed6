import { mkdir, open, rename, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a file of its owner alone (mode 0600), its folder too where that is missing. The old text or the new one is
 * there at every moment, and the new one for good when this resolves. A long text may come in pieces.
 */
export async function replaceDurably(
  path: string,
  text: string | AsyncIterable<string>,
): Promise<void> {
  const temporary = `${path}.new`;
  const file = await openNew(temporary);
  try {
    await writeFile(file, text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'w', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return open(path, 'w', 0o600);
  }
}
