import { generateKeyPairSync } from 'node:crypto';
import { toBase64 } from '@countersign/core/bytes.js';
import { createDurably } from '@countersign/runtime/process/create-durably.js';

/**
 * Makes the key that a relay of prices signs with (PKCS #8, PEM, mode 0600). Returns the public half for the files of
 * those who are to believe it: 32 bytes, base64. Throws when the file exists.
 */
export function createPriceKey(keyFile: string): string {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' });
  createDurably(keyFile, pem);
  return toBase64(Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'));
}
