/**
 * The transit engine of OpenBao or HashiCorp Vault, by two calls of its HTTP API. The key's type there must be one that
 * authenticates associated data, such as `aes256-gcm96`, its default.
 */
import type { SettingsOf } from '@countersign/runtime/settings/kek-settings.js';
import { z } from 'zod';
import { postJson } from './json-call.js';
import { contextBytes, readCredential, type KekProvider } from './kek-provider.js';

const MEANINGS = {
  400: 'it does not decrypt this: another key, or a key version that is no longer allowed',
  403: 'the token is not let in: expired, or without the right to this key',
  404: 'there is no such mount or key',
  503: 'it is sealed, or a standby',
};

const encrypted = z.object({ data: z.object({ ciphertext: z.string().min(1).max(1_024) }) });
const decrypted = z.object({ data: z.object({ plaintext: z.base64().max(1_024) }) });

export function openTransit(settings: SettingsOf<'transit'>): KekProvider {
  const { address, mount, key, token_file: tokenFile } = settings;
  const call = (operation: 'encrypt' | 'decrypt') => ({
    url: new URL(`/v1/${mount}/${operation}/${key}`, address),
    headers: { 'x-vault-token': readCredential(tokenFile) },
    meanings: MEANINGS,
  });
  return {
    name: `transit key ${key} at ${new URL(address).host}`,
    async wrap(secret, context) {
      const plaintext = Buffer.from(secret).toString('base64');
      const body = { plaintext, associated_data: contextBytes(context).toString('base64') };
      const { data } = await postJson({ ...call('encrypt'), body, answer: encrypted });
      return data.ciphertext;
    },
    async unwrap(ciphertext, context) {
      const body = { ciphertext, associated_data: contextBytes(context).toString('base64') };
      const { data } = await postJson({ ...call('decrypt'), body, answer: decrypted });
      return Uint8Array.from(Buffer.from(data.plaintext, 'base64'));
    },
  };
}
