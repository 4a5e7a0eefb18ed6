import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { eventKeyOf, type EventKey } from '@countersign/core/event-signature.js';

/**
 * Makes the key that events are signed with: the private half (PKCS #8, PEM) for the notifier alone, mode 0600, and
 * the public half (JSON Web Key Set) for gateways and receivers. Throws when one of the files exists.
 */
export function createWebhookKey(keyFile: string, publicFile: string): EventKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const key = eventKeyOf(Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'));
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' });
  writeFileSync(keyFile, pem, { mode: 0o600, flag: 'wx' });
  writeFileSync(publicFile, `${JSON.stringify({ keys: [key] }, null, 2)}\n`, { flag: 'wx' });
  return key;
}
