import { importKeyRequest } from '@countersign/api/requests/keys.js';
import type * as s from '@countersign/core/shapes.js';
import { parseBase64 } from '@countersign/core/bytes.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type { VaultState } from '../state/state.js';
import { rsaModulusBits } from '@countersign/core/rsa-public-key.js';
import { schemesOf } from '@countersign/core/signature-schemes.js';
import { applyNewKey } from './keys.js';
import { newKey } from './new-key.js';
import { ledgerOperation } from './ledger-operation.js';

type Body = s.OutputOf<typeof importKeyRequest.body>;

const RSA_MODULUS_BITS: readonly (number | undefined)[] = [2048, 3072, 4096];

/**
 * Records the sealed parts of a secret that the client has split. Each part can be opened by one party alone. The key
 * is `importing` until all three parties have attested that their parts fit.
 */
export const importKey = ledgerOperation({
  ...importKeyRequest,
  apply(state, { body }, context) {
    const fault = refuseScheme(body) ?? refuseRecipients(state, body, context.at);
    if (fault !== undefined) return fault;
    const modulusBits = readPublicKey(body);
    if (isRefusal(modulusBits)) return modulusBits;
    const key = newKey(context, {
      displayName: body.display_name,
      description: body.description ?? null,
      type: body.type,
      scheme: body.scheme ?? null,
      custody: body.type === 'hmac' ? 'split' : 'mpc_imported',
      status: 'importing',
      modulusBits,
      encoding: body.encoding,
      venueId: body.venue_id,
      venueApiKey: body.venue_api_key,
      labels: body.labels,
      sealedParts: body.shares.map(({ party, recipient_id: recipientId, sealed }) => ({
        party,
        recipientId,
        sealed,
      })),
    });
    // the parties must attest the key that the importer meant
    return applyNewKey(state, { ...key, publicKey: body.public_key ?? '' });
  },
});

function refuseScheme({ type, scheme }: Body): Refusal | undefined {
  return scheme === undefined || schemesOf(type).includes(scheme)
    ? undefined
    : refuse('invalid_inputs', `scheme: an ${type} key signs with ${schemesOf(type).join(', ')}`);
}

/** A part sealed to a key that its party has deleted could never be opened. */
function refuseRecipients(state: VaultState, { shares }: Body, at: number): Refusal | undefined {
  const isCurrent = shares.every(({ party, recipient_id: recipientId }) =>
    state.importRecipients.some(
      (row) => row.id === recipientId && row.party === party && row.expiresAt > at,
    ),
  );
  return isCurrent
    ? undefined
    : refuse('invalid_inputs', 'shares: a recipient is unknown or expired; fetch them again');
}

/** Bits of an RSA modulus; null for the other types. */
function readPublicKey({ type, public_key: text }: Body): number | null | Refusal {
  if (type === 'hmac') {
    return text === undefined
      ? null
      : refuse('invalid_inputs', 'public_key: an HMAC secret has none');
  }
  const bytes = parseBase64(text ?? '');
  if (text === undefined || bytes === undefined) {
    return refuse('invalid_inputs', 'public_key: must be standard base64');
  }
  if (type === 'ed25519') {
    return bytes.length === 32 ? null : refuse('invalid_inputs', 'public_key: must be 32 bytes');
  }
  const bits = rsaModulusBits(bytes);
  return bits !== undefined && RSA_MODULUS_BITS.includes(bits)
    ? bits
    : refuse('invalid_inputs', 'public_key: must be an RSA key of 2048, 3072 or 4096 bits');
}
