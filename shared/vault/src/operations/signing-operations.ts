import { matchPath } from './operation-input.js';
import { rawSignWithKey, rawSignWithWallet } from './raw-sign.js';
import { sign } from './sign.js';
import { venueSign } from './venue-sign.js';
import type { MatchedSigning, SigningOperation } from './signing-operation.js';

/** Every way to ask for a signature. */
export const SIGNING_OPERATIONS: readonly SigningOperation[] = [
  sign,
  rawSignWithWallet,
  rawSignWithKey,
  venueSign,
];

/** The operation with this method whose template fits the path; undefined for none. */
export function findSigningOperation(method: string, path: string): MatchedSigning | undefined {
  for (const operation of SIGNING_OPERATIONS) {
    if (operation.method !== method) continue;
    const params = matchPath(operation.path, path);
    if (params !== undefined) return { operation, params };
  }
  return undefined;
}
