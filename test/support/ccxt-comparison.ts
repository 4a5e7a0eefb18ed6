/** One call signed by ccxt and by a venue of ours, from what ccxt would send. */
import type { SignedVenueRequest, Venue, VenueKey } from '@countersign/venues/engine/venue.js';
import { signWithCcxt, type CcxtCall, type CcxtSigned } from './ccxt-signing.ts';
import { planOf, signPlan, type SigningSecret } from './venue-checks.ts';

export interface ComparedKey {
  readonly key: VenueKey;
  readonly secret: SigningSecret;
  /** As it is sent: for KuCoin its HMAC. */
  readonly passphrase?: string;
}

export interface Comparison {
  readonly ccxt: Pick<CcxtSigned, 'method' | 'path' | 'query' | 'body' | 'headers'>;
  readonly ours: SignedVenueRequest;
  readonly operationClass: string;
}

/**
 * `ignoredHeaders`: what ccxt adds of its own, e.g. the tag of its broker. `call.nonce` becomes the
 * vault's nonce, `call.requestId` its request id.
 */
export function compareWithCcxt(
  venue: Venue,
  { key, secret, passphrase = '' }: ComparedKey,
  call: CcxtCall,
  ignoredHeaders: readonly string[] = [],
): Comparison {
  const { method, path, query, body, headers } = signWithCcxt(call);
  const plan = planOf(venue, { method, path, query, body, channel: 'rest' }, key);
  const moment = {
    at: call.at,
    nonce: BigInt(call.nonce ?? call.at),
    requestId: call.requestId ?? String(call.at),
  };
  const kept = Object.entries(headers).filter(([name]) => !ignoredHeaders.includes(name));
  return {
    ccxt: { method, path, query, body, headers: Object.fromEntries(kept) },
    ours: signPlan(plan, secret, moment, passphrase),
    operationClass: plan.facts.operationClass,
  };
}
