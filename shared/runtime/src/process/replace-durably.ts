import { closeSync, fsync, mkdirSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

const syncFile = promisify(fsync);

/**
 * Writes a file of its owner alone (mode 0600), its folder too where that is missing. The old text or the new one is
 * there at every moment, and the new one for good when this resolves. A long text may come in pieces.
 *
 * Only for the disk it waits aside: the other steps take microseconds, and each would come back a turn of the event loop
 * later, which under load is what a pin, and with it a freeze, would wait for.
 */
export async function replaceDurably(
  path: string,
  text: string | AsyncIterable<string>,
): Promise<void> {
  const temporary = `${path}.new`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (typeof text === 'string') await writeText(temporary, text);
  else await writePieces(temporary, text);
  renameSync(temporary, path);
  await syncing(openSync(dirname(path), 'r'), () => undefined);
}

function writeText(path: string, text: string): Promise<void> {
  return syncing(openSync(path, 'w', 0o600), (file) => writeFileSync(file, text));
}

async function writePieces(path: string, pieces: AsyncIterable<string>): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await writeFile(file, pieces);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Does something to an open file, waits until the disk has it, and closes it. */
async function syncing(file: number, change: (file: number) => void): Promise<void> {
  try {
    change(file);
    await syncFile(file);
  } finally {
    closeSync(file);
  }
}
