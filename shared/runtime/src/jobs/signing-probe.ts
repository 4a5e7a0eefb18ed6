/**
 * A request that nobody makes and nobody may have signed, which goes the whole way of one that is: so a gateway
 * measures whether signatures can be made now. It names no credential, so that each party denies it before it looks at
 * any key: to sign something by a probe is not refused, it cannot be said. That both parties deny it takes all that a
 * signature takes of them save the maths with a key's shares: queue, ledger, signing thread, each other, and a record
 * that could be written.
 */
import { randomBytes } from 'node:crypto';
import type { SignItem } from './sign-batch.js';

/** No operation has this method, and the API takes none. */
const METHOD = 'PROBE';
const NOTHING = new Uint8Array();

/** Another request each time: what was said of an earlier one proves nothing. `now`: ms. */
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

/** Whether a batch is for probing alone: nobody waits for it. */
export function isProbeBatch(items: readonly SignItem[]): boolean {
  return items.length > 0 && items.every(isProbe);
}
