import { randomBytes } from 'node:crypto';
import { mkdir, readFile, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const PASSWORD_BYTES = 24;

/** Makes the folder with mode 0700 when it is missing; returns its path without symbolic links. */
export async function openPrivateFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  return realpath(path);
}

/** Writes a file that only its owner can read, in one step: readers see the old or the new one. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
  await rename(draft, path);
}

/** The text of a file, or undefined when there is none. */
export async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The password in a 0600 file; a new one of 24 random bytes, base64url, on the first call. */
export async function readOrCreatePassword(path: string): Promise<string> {
  const found = (await readIfPresent(path))?.trim();
  if (found) return found;
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  await writePrivateFile(path, `${password}\n`);
  return password;
}

/** Removes every entry of a folder whose name matches: what an interrupted run left behind. */
export async function removeMatching(folder: string, pattern: RegExp): Promise<void> {
  const names = (await readdir(folder)).filter((name) => pattern.test(name));
  for (const name of names) {
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The code of a system or database error, for example 'ENOENT'; '' when it has none. */
export function errorCode(error: unknown): string {
  return (error as { code?: string }).code ?? '';
}
