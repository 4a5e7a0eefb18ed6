/** Venues under test: a request, its plan, and the signature that the vault's parties would give. */
import { createHmac, sign, type KeyObject } from 'node:crypto';
import { isRefusal } from '@countersign/core/errors.js';
import type { Endpoint } from '@countersign/venues/engine/endpoint-table.js';
import type { OperationClass } from '@countersign/core/vocabulary.js';
import type {
  SignedVenueRequest,
  SigningMoment,
  Venue,
  VenueKey,
  VenuePlan,
  VenueRequest,
} from '@countersign/venues/engine/venue.js';
import type { VenueFacts } from '@countersign/venues/engine/venue-facts.js';
import fc from 'fast-check';

/** An HMAC secret as bytes, or a private key. */
export type SigningSecret = Uint8Array | KeyObject;

/** `'POST /api/v3/order'`, with a query or a body. */
export function restRequest(
  line: string,
  { query = '', body = '' }: { query?: string; body?: string } = {},
): VenueRequest {
  const [method = '', path = ''] = line.split(' ');
  return { method, path, query, body, channel: 'rest' };
}

export function wsRequest(method: string, params?: unknown): VenueRequest {
  const body = params === undefined ? '' : JSON.stringify(params);
  return { method, path: '', query: '', body, channel: 'ws' };
}

/** Throws when the venue refuses. */
export function planOf(venue: Venue, request: VenueRequest, key: VenueKey): VenuePlan {
  const plan = venue.plan(request, key);
  if (isRefusal(plan)) throw new Error(`${venue.id} refused: ${plan.message}`);
  return plan;
}

export function classOf(
  venue: Venue,
  request: VenueRequest,
  key: VenueKey,
): OperationClass | 'refused' {
  const plan = venue.plan(request, key);
  return isRefusal(plan) ? 'refused' : plan.facts.operationClass;
}

/** The refusal's public text; throws when the venue accepts. A refusal is always `invalid_inputs`. */
export function refusalOf(venue: Venue, request: VenueRequest, key: VenueKey): string {
  const plan = venue.plan(request, key);
  if (!isRefusal(plan)) throw new Error(`accepted as ${plan.facts.operationClass}`);
  if (plan.refused !== 'invalid_inputs') throw new Error(`refused as ${plan.refused}`);
  return plan.message;
}

/** How much, unit by unit: `'amount 0.1'`, `'quote_amount 9'`, `'contracts 3'`; `'undecidable'` for what nobody can tell. */
export function sizeOf({ amounts, quoteAmounts, contracts, undecidable }: VenueFacts): string {
  if (undecidable.includes('amount')) return 'undecidable';
  const units = { amount: amounts, quote_amount: quoteAmounts, contracts };
  return Object.entries(units)
    .flatMap(([unit, values]) => values.map((value) => `${unit} ${value}`))
    .join(', ');
}

/** The complete request at a moment, signed with node:crypto. */
export function signPlan(
  plan: VenuePlan,
  secret: SigningSecret,
  moment: SigningMoment,
  passphrase = '',
): SignedVenueRequest {
  const composed = plan.compose(moment);
  return composed.finish(signMessage(plan.scheme, secret, composed.message), passphrase);
}

function signMessage(scheme: string, secret: SigningSecret, message: Uint8Array): Uint8Array {
  const [kind = '', ...rest] = scheme.split('_');
  const hash = rest.at(-1);
  if (secret instanceof Uint8Array) {
    if (kind !== 'hmac' || hash === undefined) throw new Error(`no secret text for ${scheme}`);
    return createHmac(hash, secret).update(message).digest();
  }
  if (scheme === 'rsa_pkcs1_sha256') return sign('sha256', message, secret);
  if (scheme === 'ed25519') return sign(null, message, secret);
  throw new Error(`no signature for ${scheme}`);
}

/** Paths that differ from the given one in one letter, digit or mark: changed, dropped or doubled. */
export function oneLetterOff(path: string): fc.Arbitrary<string> {
  const letter = fc.constantFrom(
    ...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_'.split(''),
  );
  return fc
    .record({ at: fc.integer({ min: 1, max: path.length - 1 }), letter, kind: fc.nat({ max: 2 }) })
    .map(({ at, letter: other, kind }) => {
      const kept = kind === 1 ? '' : kind === 2 ? path[at]! + other : other;
      return path.slice(0, at) + kept + path.slice(at + 1);
    })
    .filter((changed) => changed !== path);
}

/** Parameter names that make a complete request to a row: the required ones, and some of the others. */
export function completeNames({ names }: Endpoint): fc.Arbitrary<string[]> {
  if (names === undefined) return fc.constant([]);
  const oneOfEach = fc.tuple(
    ...names.anyOf.map((group) => fc.subarray([...group], { minLength: 1 })),
  );
  return fc
    .tuple(oneOfEach, fc.subarray([...names.optional]))
    .map(([some, optional]) => [...names.required, ...some.flat(), ...optional]);
}

/**
 * The rows that move funds or change a key and that a request with these names would be complete for,
 * but for rows that want no parameter at all.
 */
export function graveRowsReached(rows: readonly Endpoint[], given: readonly string[]): Endpoint[] {
  return rows.filter(({ operationClass, names }) => {
    if (!['withdraw', 'transfer', 'key_admin'].includes(operationClass)) return false;
    const wanted = [...(names?.required ?? []).map((name) => [name]), ...(names?.anyOf ?? [])];
    return wanted.length > 0 && wanted.every((group) => group.some((name) => given.includes(name)));
  });
}
