/** Who asks in a benchmark: the administrator who prepares it, and the callers of the load. */
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSigningClient, type SigningClient } from '../client/signing-client.js';
import type { Stack } from '../stack/open-stack.js';
import { rawPublicKey, type PreparedVault } from '../stack/prepare-vault.js';
import type { LoadCaller } from './load-job.js';

const CALLERS = 8;

export function adminCaller({ admin }: PreparedVault): LoadCaller {
  return { apiKey: admin.api_key, privateKey: readFileSync(admin.private_key_file, 'utf8') };
}

export function adminClient(vault: PreparedVault, stack: Stack): SigningClient {
  const { apiKey, privateKey } = adminCaller(vault);
  return createSigningClient(stack.baseUrl, { apiKey, privateKey: createPrivateKey(privateKey) });
}

export type NamedCaller = LoadCaller & { readonly id: string };

export function createCallers(client: SigningClient, purpose: string): Promise<NamedCaller[]> {
  return Promise.all(
    Array.from({ length: CALLERS }, (_, index) => createCaller(client, `${purpose} ${index}`)),
  );
}

async function createCaller(client: SigningClient, displayName: string): Promise<NamedCaller> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const created = await post<{ id: string; api_key: string }>(client, '/v1/users', {
    type: 'machine',
    display_name: displayName,
    public_key: rawPublicKey(privateKey).toString('base64url'),
  });
  return {
    id: created.id,
    apiKey: created.api_key,
    privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  };
}

export async function post<Body>(
  client: SigningClient,
  target: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Body> {
  const response = await client.send({ method: 'POST', target, body, headers });
  if (response.status !== 200) {
    throw new Error(`POST ${target}: HTTP ${response.status} ${response.text}`);
  }
  return response.body as Body;
}
