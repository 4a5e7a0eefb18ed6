/** What this page must know before anybody has signed in. */
import { valueOf } from '@countersign/client/call-result.js';
import type { OperationValue } from '@countersign/client/operation-calls.js';
import { browserTransport } from './browser-transport.js';
import { createVaultCalls } from './vault-calls.js';

export type SignInFacts = OperationValue<'get-sign-in-facts'>;
export type IdentityProvider = SignInFacts['providers'][number];

/** Of nobody: for what the vault tells everybody. */
export const openCalls = createVaultCalls(
  { token: '', assert: () => Promise.reject(new Error('nobody has signed in')) },
  browserTransport,
  0,
);

/** Rejects where the vault does not answer. */
export async function readSignInFacts(): Promise<SignInFacts> {
  return valueOf(await openCalls.call('get-sign-in-facts'));
}
