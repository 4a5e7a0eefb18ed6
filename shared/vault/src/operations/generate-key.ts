import { SCHEMES_BY_KEY_TYPE } from '@countersign/core/signature-schemes.js';
import { generateKeyOperation } from '@countersign/api/operations/keys.js';
import { ledgerOperation } from './ledger-operation.js';
import { answerKey, applyNewKey, findKeyFailure, isKeyPending } from './key-effects.js';
import { newKey } from './new-key.js';
import { refuseVenueKey } from '../checks/venue-key-faults.js';

const DEFAULT_MODULUS_BITS = 2048;

/**
 * Asks the parties for a key that none of them ever holds whole. This only records the wish: the key is
 * `generating` until all three have attested the same public key.
 */
export const generateKey = ledgerOperation({
  ...generateKeyOperation,
  check(_state, { body }, catalogues) {
    const { type, venue_id: venueId, venue_api_key: venueApiKey } = body;
    return refuseVenueKey({ type, venueId, venueApiKey }, catalogues);
  },
  apply(state, { body }, context) {
    const key = newKey(context, {
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
    return applyNewKey(state, key);
  },
  isPending: isKeyPending,
  findFailure: findKeyFailure,
  answer: answerKey,
});
