/**
 * A request that nobody makes and nobody may have signed. It goes the whole way of a real one, so a gateway measures
 * whether signatures can be made now. It names no credential, so each party denies it before it looks at any key: a
 * probe has no way to ask for a signature. For both denials the parties do everything that a signature needs, save the
 * maths with a key's shares: queue, ledger, signing thread, each other, and a record that could be written.
 */
import { randomBytes } from 'node:crypto';
import type { SignItem } from './sign-batch.js';

/** No operation has this method, and the API takes none. */
const METHOD = 'PROBE';
const NOTHING = new Uint8Array();

/** Each probe is another request, since a reply to an earlier one proves nothing. `now`: ms. */
export function makeProbe(now: number): SignItem {
  return {
    submission: randomBytes(16).toString('hex'),
    receivedAt: now,
    nonce: 0n,
    evidence: {
      method: METHOD,
      path: '',
      query: '',
      body: NOTHING,
      scheme: 'ApiKey',
      credential: '',
      assertion: NOTHING,
      timestampMs: now,
      nonce: randomBytes(8),
    },
  };
}

function isProbe({ evidence: { method, credential } }: SignItem): boolean {
  return method === METHOD && credential === '';
}

/** Whether a batch is for probing alone, so that nobody waits for it. */
export function isProbeBatch(items: readonly SignItem[]): boolean {
  return items.length > 0 && items.every(isProbe);
}
