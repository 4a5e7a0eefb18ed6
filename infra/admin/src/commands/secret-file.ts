/** Where a secret goes that an answer shows this once: to a file for its owner alone, never to the screen. */
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ApiOperation } from '@countersign/api/operation.js';
import { createDurably } from '@countersign/runtime/process/create-durably.js';
import { UsageError, type Given, type Option, type Surroundings } from '../tool/command.js';
import { profilesFile } from './profile.js';

export const SECRET_OPTION: Option = {
  name: 'secret-file',
  value: 'FILE',
  about:
    'A new file (mode 0600) for the API key or enrolment code that the answer has this once; it is not printed.',
};

export const RECORD_SECRET_OPTION: Option = {
  ...SECRET_OPTION,
  about:
    'A new file (mode 0600) for the API key or enrolment code that the request came to, if this shows it; else one beside the profiles.',
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

/**
 * For what a request came to: whether reading it uses up the one showing of a secret is known only afterwards. Where
 * `path` is undefined, a file is made beside the profiles once there is a secret. Throws where none could be made.
 */
export function openRecordSecretFile(
  path: string | undefined,
  { environment, writeNote }: Pick<Surroundings, 'environment' | 'writeNote'>,
): SecretFile {
  if (path !== undefined) return createSecretFile(path);
  const beside = join(dirname(profilesFile(environment)), `secret-${randomUUID()}`);
  createSecretFile(beside).close();
  return {
    path: beside,
    write(secret) {
      createDurably(beside, `${secret}\n`);
      writeNote(`countersign: the answer had a secret this once; it is in ${beside}\n`);
    },
    close: () => undefined,
  };
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
    throw new UsageError(`--secret-file FILE: ${(error as NodeJS.ErrnoException).code} ${path}`);
  }
}

export function answerWithoutSecret(answer: unknown, secret: SecretFile): unknown {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return answer;
  const shown: Record<string, unknown> = { ...answer };
  for (const name of SECRETS) {
    const value = shown[name];
    if (typeof value !== 'string') continue;
    secret.write(value);
    delete shown[name];
    shown[`${name}_file`] = secret.path;
  }
  return shown;
}
