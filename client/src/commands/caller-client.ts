/** A client for whoever runs a command: their credential is in files that they alone can read. */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { UUID_PATTERN } from '@countersign/core/hash.js';
import { createCountersignClient, type CountersignClient } from '../calls/countersign-client.js';
import type { CallSettings } from '../calls/operation-calls.js';
import { readLine } from '../keys/read-line.js';
import { LocalError } from './local-error.js';
import { readPrivate } from './local-files.js';

export interface CallerFiles {
  /** Of the service. */
  readonly url: string;
  readonly apiKeyFile: string;
  /** PEM, Ed25519. */
  readonly privateKeyFile: string;
}

/** Throws LocalError for files that hold no credential, and for a URL that is none. */
export function openCallerClient(
  options: CallerFiles,
  settings: CallSettings = {},
): CountersignClient {
  const apiKey = readLine(readPrivate(options.apiKeyFile)) ?? '';
  if (!UUID_PATTERN.test(apiKey)) throw new LocalError(`${options.apiKeyFile} holds no API key`);
  const privateKey = readCallerKey(options.privateKeyFile);
  try {
    return createCountersignClient({ ...settings, baseUrl: options.url, apiKey, privateKey });
  } catch (error) {
    throw error instanceof RangeError ? new LocalError(error.message) : error;
  }
}

function readCallerKey(path: string): KeyObject {
  const file = readPrivate(path);
  try {
    const key = createPrivateKey({ key: file, format: 'pem' });
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // told below: OpenSSL's own words help nobody here
  } finally {
    file.fill(0);
  }
  throw new LocalError(`${path} holds no unencrypted Ed25519 private key in PEM`);
}
