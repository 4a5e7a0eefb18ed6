/** The API's operations, called as the person who signed in. */
import { createOperationCalls, type OperationCalls } from '@countersign/client/operation-calls.js';
import { createRawClient } from '@countersign/client/raw-client.js';
import type { PersonCredential } from '@countersign/client/sign-request.js';
import type { Transport } from '@countersign/client/transport.js';

/** What a person waits for before the page says that the vault is still at it, ms. */
const WAIT_MS = 15_000;

/**
 * A request is sent once: each attempt would ask for the passkey again. `clockOffsetMs`: what the vault's clock is ahead
 * of this machine's.
 */
export function createVaultCalls(
  credential: PersonCredential,
  transport: Transport,
  clockOffsetMs: number,
): OperationCalls {
  const raw = createRawClient(transport, credential, () => Date.now() + clockOffsetMs);
  const clock = {
    elapsedMs: () => performance.now(),
    sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
    // it was measured at sign-in
    correct: () => false,
  };
  return createOperationCalls(raw, { retries: false, waitMs: WAIT_MS, maxPollMs: 2_000 }, clock);
}
