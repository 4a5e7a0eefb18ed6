/**
 * An RSA key of Azure Key Vault or of a Managed HSM, by two calls of its REST API. Microsoft's own library finds who
 * this process is, and is loaded for such parties alone. The client of Key Vault is left out: it keeps to itself which
 * key an answer is of.
 *
 * These keys authenticate nothing beside what they wrap, and whoever knows their public half wraps. So the context is
 * wrapped as well: half (32 bytes) ‖ SHA-256 of the context. OAEP lets nobody change one of the two.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { SettingsOf } from '@countersign/runtime/settings/kek-settings.js';
import { sodium } from '@countersign/custody/sodium.js';
import { z } from 'zod';
import { KEK_BYTES } from './file-kek.js';
import { inTime, postJson, reasonOf } from './json-call.js';
import { contextBytes, KekError, type KekContext, type KekProvider } from './kek-provider.js';

type Settings = SettingsOf<'azure'>;

const ALGORITHM = 'RSA-OAEP-256';
const API_VERSION = '7.4';

const MEANINGS = {
  400: 'it does not decrypt this: another key',
  401: 'not let in: it does not know these credentials',
  403: 'not let in: without the right to this key, or the key is disabled',
  404: 'there is no such key',
  429: 'it is asked too often',
};

/** It answers in base64url without padding. */
const answer = z.object({ kid: z.string(), value: z.base64url().max(2_048) });

export function openAzure({ key }: Settings): KekProvider {
  const ask = async (operation: 'wrapkey' | 'unwrapkey', value: string): Promise<Buffer> => {
    const body = { alg: ALGORITHM, value };
    const url = new URL(`${key}/${operation}?api-version=${API_VERSION}`);
    const headers = { authorization: `Bearer ${await accessToken(new URL(key))}` };
    const got = await postJson({ url, headers, body, answer, meanings: MEANINGS });
    if (got.kid.toLowerCase() !== key.toLowerCase()) {
      throw new KekError('it answered for another key');
    }
    return Buffer.from(got.value, 'base64url');
  };
  return {
    name: `Key Vault key ${key}`,
    async wrap(secret, context) {
      const inner = Buffer.concat([secret, digestOf(context)]);
      const wrapped = await ask('wrapkey', inner.toString('base64url'));
      sodium.sodium_memzero(inner);
      return wrapped.toString('base64url');
    },
    async unwrap(wrapped, context) {
      const inner = await ask('unwrapkey', wrapped);
      const [half, digest] = [inner.subarray(0, KEK_BYTES), inner.subarray(KEK_BYTES)];
      const expected = digestOf(context);
      if (digest.length !== expected.length || !timingSafeEqual(digest, expected)) {
        throw new KekError('it does not decrypt this: another context');
      }
      const secret = Uint8Array.from(half);
      sodium.sodium_memzero(inner);
      return secret;
    },
  };
}

const digestOf = (context: KekContext) =>
  createHash('sha256').update(contextBytes(context)).digest();

/** The services of a cloud are named for what they belong to: `party-1.vault.azure.net` to `vault.azure.net`. */
function scopeOf({ protocol, hostname }: URL): string {
  const service = protocol === 'https:' ? hostname.replace(/^[^.]+\./, '') : 'vault.azure.net';
  return `https://${service}/.default`;
}

async function accessToken(key: URL): Promise<string> {
  const { DefaultAzureCredential } = await import('@azure/identity');
  const credential = new DefaultAzureCredential();
  return inTime(async (abortSignal) => {
    const { token } = await credential.getToken(scopeOf(key), { abortSignal });
    return token;
  }).catch((error: unknown) => {
    if (error instanceof KekError) throw error;
    throw new KekError(`no credentials were found (${reasonOf(error)})`);
  });
}
