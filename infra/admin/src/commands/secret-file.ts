/** Where a secret goes that an answer shows this once: to a file for its owner alone, never to the screen. */
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import type { ApiOperation } from '@countersign/api/operation.js';
import { UsageError, type Given, type Option } from '../tool/command.js';

export const SECRET_OPTION: Option = {
  name: 'secret-file',
  value: 'FILE',
  about:
    'A new file (mode 0600) for the API key or enrolment code that the answer has this once; it is not printed.',
};

const SECRETS = ['api_key', 'enrollment_code'] as const;

export interface SecretFile {
  readonly path: string;
  write(secret: string): void;
  /** Leaves no empty file. */
  close(): void;
}

/** Made before anything is asked for: an answer that cannot be kept would be lost. Undefined where none is expected. */
export function openSecretFile(
  { hasSecret, id }: ApiOperation,
  body: unknown,
  given: Given,
): SecretFile | undefined {
  if (hasSecret !== true) return undefined;
  const path = given.maybe('secret-file');
  if (path !== undefined) return createSecretFile(path);
  const { rotate_api_key: rotates, reset_passkeys: resets } = body as Record<string, unknown>;
  const isExpected = id === 'create-user' || rotates === true || resets === true;
  if (isExpected) throw new UsageError('--secret-file FILE: the answer has a secret');
  return undefined;
}

function createSecretFile(path: string): SecretFile {
  const file = openNew(path);
  let isWritten = false;
  return {
    path,
    write(secret) {
      writeSync(file, `${secret}\n`);
      isWritten = true;
    },
    close() {
      closeSync(file);
      if (!isWritten) rmSync(path);
    },
  };
}

function openNew(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    throw new UsageError(`--secret-file: ${(error as NodeJS.ErrnoException).code} ${path}`);
  }
}

export function answerWithoutSecret(answer: unknown, secret: SecretFile): unknown {
  const shown: Record<string, unknown> = { ...(answer as object) };
  for (const name of SECRETS) {
    const value = shown[name];
    if (typeof value !== 'string') continue;
    secret.write(value);
    delete shown[name];
    shown[`${name}_file`] = secret.path;
  }
  return shown;
}
