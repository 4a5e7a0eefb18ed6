import { parseBase64 } from '@countersign/core/bytes.js';
import type { HmacEncoding, HmacSecret } from './imported-secret.js';
import { KeyFileError } from './key-file-error.js';
import { readLine } from './read-line.js';

/** Two parts of both together must fit into one sealed share, which the service limits to 6 KiB. */
const MAX_SECRET_BYTES = 2048;
const MAX_PASSPHRASE_BYTES = 512;

/**
 * `encoding` is how the venue writes the secret: some sign with the decoded bytes, some with the text as
 * it stands, and nothing in a secret tells which. `passphrase`: the venue's, when it has one.
 */
export function readHmacSecret(
  file: Buffer,
  encoding: HmacEncoding,
  passphrase: string | undefined,
): HmacSecret {
  const text = readLine(file) ?? fail(`hmac_${encoding}`);
  if (text === '') throw new KeyFileError('hmac_empty');
  const secret = decodeSecret(text, encoding);
  if (secret.length > MAX_SECRET_BYTES) throw new KeyFileError('hmac_too_long');
  return { type: 'hmac', secret, passphrase: checkPassphrase(passphrase), encoding };
}

function decodeSecret(text: string, encoding: HmacEncoding): Buffer {
  switch (encoding) {
    case 'utf8':
      return Buffer.from(text, 'utf8');
    case 'hex':
      // Node would stop silently at the first character that is no digit
      return /^(?:[0-9a-f]{2})+$/i.test(text) ? Buffer.from(text, 'hex') : fail('hmac_hex');
    case 'base64':
      return parseBase64(text) ?? fail('hmac_base64');
  }
}

function checkPassphrase(passphrase: string | undefined): string {
  if (passphrase === undefined) return '';
  const bytes = Buffer.from(passphrase, 'utf8');
  const isOneLine = readLine(bytes) === passphrase && bytes.length <= MAX_PASSPHRASE_BYTES;
  return isOneLine && passphrase !== '' ? passphrase : fail('venue_passphrase');
}

function fail(fault: ConstructorParameters<typeof KeyFileError>[0]): never {
  throw new KeyFileError(fault);
}
