/** Who asks in a benchmark: the administrator who prepares it, and the callers of the load. */
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { valueOf } from '@countersign/client/call-result.js';
import {
  createCountersignClient,
  type CountersignClient,
} from '@countersign/client/countersign-client.js';
import type { Stack } from '@countersign/dev/stack/open-stack.js';
import { rawPublicKey, type PreparedVault } from '@countersign/dev/stack/prepare-vault.js';
import type { LoadCaller } from './load-job.js';

const CALLERS = 8;
const POLL_MS = 50;

export function adminCaller({ admin }: PreparedVault): LoadCaller {
  return { apiKey: admin.api_key, privateKey: readFileSync(admin.private_key_file, 'utf8') };
}

/** It asks at most POLL_MS too late, and nothing twice: what it adds would be measured, too. */
export function adminClient(vault: PreparedVault, stack: Stack): CountersignClient {
  const { apiKey, privateKey } = adminCaller(vault);
  return createCountersignClient({
    baseUrl: stack.baseUrl,
    apiKey,
    privateKey: createPrivateKey(privateKey),
    retries: false,
    preferWaitS: 30,
    pollMs: POLL_MS,
    maxPollMs: POLL_MS,
  });
}

export type NamedCaller = LoadCaller & { readonly id: string };

export function createCallers(client: CountersignClient, purpose: string): Promise<NamedCaller[]> {
  return Promise.all(
    Array.from({ length: CALLERS }, (_, index) => createCaller(client, `${purpose} ${index}`)),
  );
}

async function createCaller(client: CountersignClient, displayName: string): Promise<NamedCaller> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const created = valueOf(
    await client.call('create-user', {
      body: {
        type: 'machine',
        display_name: displayName,
        public_key: rawPublicKey(privateKey).toString('base64url'),
      },
    }),
  );
  if (!('api_key' in created) || created.api_key === undefined) {
    throw new Error('the new user has no API key');
  }
  return {
    id: created.id,
    apiKey: created.api_key,
    privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  };
}
