/**
 * A key of Google Cloud KMS, by two calls of its REST API. Google's own library finds who this process is
 * (Application Default Credentials) and is loaded for such parties alone. Google's client of KMS is left out: it brings
 * gRPC and seven times as much code for the same two calls.
 */
import type { SettingsOf } from '@countersign/runtime/settings/kek-settings.js';
import { z } from 'zod';
import { crc32c } from './crc32c.js';
import { inTime, postJson, reasonOf } from './json-call.js';
import { contextBytes, KekError, type KekContext, type KekProvider } from './kek-provider.js';

type Settings = SettingsOf<'google'>;

const SCOPE = 'https://www.googleapis.com/auth/cloudkms';

const MEANINGS = {
  400: 'it does not decrypt this: another key, a version that is gone, or another context',
  401: 'not let in: it does not know these credentials',
  403: 'not let in: without the right to this key',
  404: 'there is no such key',
  429: 'it is asked too often',
};

const checksum = z.string().regex(/^\d{1,10}$/);
const encrypted = z.object({
  name: z.string(),
  ciphertext: z.base64().min(1).max(1_024),
  ciphertextCrc32c: checksum,
  verifiedPlaintextCrc32c: z.literal(true),
  verifiedAdditionalAuthenticatedDataCrc32c: z.literal(true),
});
const decrypted = z.object({ plaintext: z.base64().max(1_024), plaintextCrc32c: checksum });

export function openGoogle(settings: Settings): KekProvider {
  const { key } = settings;
  return {
    name: `Google Cloud KMS key ${key}`,
    async wrap(secret, context) {
      const call = await callOf(settings, 'encrypt', { plaintext: secret }, context);
      const answer = await postJson({ ...call, answer: encrypted });
      if (!/^\/cryptoKeyVersions\/\d+$/.test(after(key, answer.name))) {
        throw new KekError('it answered for another key');
      }
      intact(answer.ciphertext, answer.ciphertextCrc32c);
      return answer.ciphertext;
    },
    async unwrap(wrapped, context) {
      const ciphertext = Buffer.from(wrapped, 'base64');
      const call = await callOf(settings, 'decrypt', { ciphertext }, context);
      const answer = await postJson({ ...call, answer: decrypted });
      return intact(answer.plaintext, answer.plaintextCrc32c);
    },
  };
}

const after = (start: string, text: string) =>
  text.startsWith(start) ? text.slice(start.length) : '';

/** Google sends checksums of what it sends, and checks those of what it is sent. */
function intact(text: string, sum: string): Uint8Array {
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  if (String(crc32c(bytes)) !== sum) throw new KekError('its answer was damaged on the way');
  return bytes;
}

async function callOf(
  settings: Settings,
  operation: 'encrypt' | 'decrypt',
  input: Readonly<Record<string, Uint8Array>>,
  context: KekContext,
) {
  const { key, endpoint } = settings;
  const fields = { ...input, additionalAuthenticatedData: contextBytes(context) };
  const body = Object.entries(fields).flatMap(([name, bytes]) => [
    [name, Buffer.from(bytes).toString('base64')],
    [`${name}Crc32c`, String(crc32c(bytes))],
  ]);
  return {
    url: new URL(`/v1/${key}:${operation}`, endpoint),
    headers: { authorization: `Bearer ${await accessToken(settings)}` },
    body: Object.fromEntries(body) as object,
    meanings: MEANINGS,
  };
}

async function accessToken({ key }: Settings): Promise<string> {
  const { GoogleAuth } = await import('google-auth-library');
  // with a project that is known no program is started to ask for one
  const auth = new GoogleAuth({ scopes: SCOPE, projectId: key.split('/')[1]! });
  const token = await inTime(() => auth.getAccessToken()).catch((error: unknown) => {
    if (error instanceof KekError) throw error;
    throw new KekError(`no credentials were found (${reasonOf(error)})`);
  });
  if (typeof token !== 'string') throw new KekError('no credentials were found');
  return token;
}
