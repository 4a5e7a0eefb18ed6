import { statSync } from 'node:fs';

/** Throws unless the file is readable by its owner alone: a key file that others can read is no key. */
export function assertPrivateFile(path: string): void {
  const { mode } = statSync(path);
  if ((mode & 0o077) !== 0) {
    throw new Error(`${path} must be readable by its owner alone (chmod 600)`);
  }
}
