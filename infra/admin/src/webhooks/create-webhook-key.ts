import { generateKeyPairSync } from 'node:crypto';
import { rmSync } from 'node:fs';
import { eventKeyOf, type EventKey } from '@countersign/core/event-signature.js';
import { createDurably, requireNew } from '@countersign/runtime/process/create-durably.js';

/**
 * Makes the key that events are signed with: the private half (PKCS #8, PEM) for the notifier alone, mode 0600, and
 * the public half (JSON Web Key Set) for gateways and receivers. Throws, and makes neither, when one of the files exists
 * or cannot be made.
 */
export function createWebhookKey(keyFile: string, publicFile: string): EventKey {
  requireNew([keyFile, publicFile]);
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const key = eventKeyOf(Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'));
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' });
  createDurably(keyFile, pem);
  try {
    const keys = `${JSON.stringify({ keys: [key] }, null, 2)}\n`;
    createDurably(publicFile, keys, { mode: 0o666 });
  } catch (error) {
    rmSync(keyFile, { force: true });
    throw error;
  }
  return key;
}
