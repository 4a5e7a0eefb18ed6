import type * as s from '@countersign/core/shapes.js';
import { SCHEMES_BY_KEY_TYPE } from '@countersign/core/signature-schemes.js';
import { generateKeyRequest } from '@countersign/api/requests/keys.js';
import type { Key } from '../state/state.js';
import { ledgerOperation, type ApplyContext } from './ledger-operation.js';
import { applyNewKey } from './key-effects.js';
import { newKey } from './new-key.js';

const DEFAULT_MODULUS_BITS = 2048;

/**
 * Asks the parties for a key that none of them ever holds whole. This records only the wish: the key is `generating`
 * until all three have attested the same public key.
 */
export const generateKey = ledgerOperation({
  ...generateKeyRequest,
  apply: (state, { body }, context) => applyNewKey(state, generatedKey(body, context)),
});

/** A key that the parties are to make. */
export function generatedKey(
  body: s.OutputOf<typeof generateKeyRequest.body>,
  context: ApplyContext,
): Key {
  return newKey(context, {
    displayName: body.display_name,
    description: body.description ?? null,
    type: body.type,
    scheme: SCHEMES_BY_KEY_TYPE[body.type][0],
    custody: 'mpc',
    status: 'generating',
    modulusBits: body.type === 'rsa' ? (body.modulus_bits ?? DEFAULT_MODULUS_BITS) : null,
    venueId: body.venue_id,
    venueApiKey: body.venue_api_key,
    labels: body.labels,
  });
}
