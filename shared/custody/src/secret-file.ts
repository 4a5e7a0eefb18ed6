/** Reads a secret that the operator keeps in a file. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { letsOthersIn } from '@countersign/core/private-file.js';
import { sodium } from './sodium.js';

/** A secret file with the wrong type, size or mode. The message names the path and the remedy. */
export class SecretFileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SecretFileError';
  }
}

/**
 * Reads a file that holds exactly `length` raw bytes and that nobody but its owner may open. The result
 * is a buffer of its own, which the caller wipes.
 *
 * Throws `SecretFileError` for another size, for anything but a regular file, and for a file that
 * others may open (`letsOthersIn`); system errors (no such file, not permitted) pass through. Type, mode and
 * content are taken from one open file, so it cannot be swapped in between.
 */
export function readSecretFile(path: string, length: number): Uint8Array {
  const file = openSync(path, 'r');
  try {
    const status = fstatSync(file);
    if (!status.isFile()) throw new SecretFileError(`${path}: not a regular file`);
    if (letsOthersIn(path, status)) {
      const mode = (status.mode & 0o777).toString(8).padStart(4, '0');
      throw new SecretFileError(`${path}: mode ${mode} lets others in; set it to 0600`);
    }
    if (status.size !== length) {
      throw new SecretFileError(`${path}: ${status.size} bytes, expected ${length} raw bytes`);
    }
    const secret = new Uint8Array(length);
    if (readSync(file, secret, 0, length, 0) !== length) {
      sodium.sodium_memzero(secret);
      throw new SecretFileError(`${path}: changed while it was read`);
    }
    return secret;
  } finally {
    closeSync(file);
  }
}
