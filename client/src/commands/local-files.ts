/** What commands read from files. Each throws LocalError, with a text for people. */
import { readFileSync } from 'node:fs';
import { assertPrivateFile } from '@countersign/core/private-file.js';
import { ownField } from '../answers/json-fields.js';
import { parsePinnedVault, type PinnedVault } from '../answers/pinned-vault.js';
import { LocalError } from './local-error.js';

export function readFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new LocalError(`cannot read ${path}: ${String(ownField(error, 'code'))}`);
  }
}

/** What others on this machine may not read. */
export function readPrivate(path: string): Buffer {
  const file = readFile(path);
  try {
    // Windows has no such modes
    if (process.platform !== 'win32') assertPrivateFile(path);
  } catch {
    file.fill(0);
    throw new LocalError(`${path} must be readable by its owner alone (chmod 600)`);
  }
  return file;
}

export function readPinnedVault(path: string): PinnedVault {
  const vault = parsePinnedVault(parseJson(readFile(path).toString('utf8')));
  if (vault === undefined) {
    throw new LocalError(`${path} is not what \`countersign genesis\` prints`);
  }
  return vault;
}

/** Undefined for what is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
