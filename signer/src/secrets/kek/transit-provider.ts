/**
 * The transit engine of OpenBao or HashiCorp Vault, by two calls of its HTTP API. The key's type there must be one that
 * authenticates associated data, such as `aes256-gcm96`, its default.
 */
import { z } from 'zod';
import { KekError, readCredential, type KekProvider } from './kek-provider.js';

const ANSWER_WITHIN_MS = 5_000;
const MAX_ANSWER_BYTES = 65_536;
const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

export const transitSettings = z.strictObject({
  provider: z.literal('transit'),
  /** Such as `https://bao:8200`. Plain HTTP is for this host itself, where an agent of the engine may listen. */
  address: z.url().refine(isSafe, 'must be https, or http to this host itself'),
  mount: z
    .string()
    .regex(/^[\w/-]+$/)
    .default('transit'),
  /** The name of the key there. */
  key: z.string().regex(/^[\w.-]+$/),
  /** A file with the token. It is read for each call, so an agent may renew it. */
  token_file: z.string().min(1),
});

function isSafe(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
}

const encrypted = z.object({ data: z.object({ ciphertext: z.string().min(1).max(1_024) }) });
const decrypted = z.object({ data: z.object({ plaintext: z.base64().max(1_024) }) });

export function openTransit(settings: z.infer<typeof transitSettings>): KekProvider {
  const name = `transit key ${settings.key} at ${new URL(settings.address).host}`;
  return {
    name,
    async wrap(secret, aad) {
      const plaintext = Buffer.from(secret).toString('base64');
      return (await ask(settings, 'encrypt', { plaintext }, aad, encrypted)).data.ciphertext;
    },
    async unwrap(ciphertext, aad) {
      const { data } = await ask(settings, 'decrypt', { ciphertext }, aad, decrypted);
      return Uint8Array.from(Buffer.from(data.plaintext, 'base64'));
    },
  };
}

type Settings = z.infer<typeof transitSettings>;

async function ask<Answer>(
  { address, mount, key, token_file: tokenFile }: Settings,
  operation: 'encrypt' | 'decrypt',
  body: object,
  aad: Uint8Array,
  schema: z.ZodType<Answer>,
): Promise<Answer> {
  const url = new URL(`/v1/${mount}/${operation}/${key}`, address);
  const token = readCredential(tokenFile);
  const associated = Buffer.from(aad).toString('base64');
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    headers: { 'content-type': 'application/json', 'x-vault-token': token },
    body: JSON.stringify({ ...body, associated_data: associated }),
  }).catch((error: unknown) => {
    throw new KekError(`no answer (${reasonOf(error)})`);
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new KekError(meaningOf(response.status));
  }
  const answer = schema.safeParse(parse(await readBounded(response)));
  if (!answer.success) throw new KekError('its answer has another form');
  return answer.data;
}

/** What it says beside its status is not repeated: a stranger's text does not belong in a log. */
function meaningOf(status: number): string {
  const meanings: Readonly<Record<number, string>> = {
    400: 'it does not decrypt this: another key, or a key version that is no longer allowed',
    403: 'the token is not let in: expired, or without the right to this key',
    404: 'there is no such mount or key',
    503: 'it is sealed, or a standby',
  };
  const meaning = meanings[status];
  return `status ${status}${meaning === undefined ? '' : `: ${meaning}`}`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.name;
}

async function readBounded({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > MAX_ANSWER_BYTES) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw new KekError(`its answer broke off (${reasonOf(error)})`);
  }
  if (size > MAX_ANSWER_BYTES) throw new KekError('its answer is too long');
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
