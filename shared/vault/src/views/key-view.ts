import { createPublicKey, type KeyObject } from 'node:crypto';
import type * as s from '@countersign/core/shapes.js';
import { timeView } from '@countersign/api/common-schema.js';
import type { publicKey } from '@countersign/api/common-schema.js';
import type { importRecipients, key } from '@countersign/api/key-schema.js';
import type { Catalogues } from '../catalogues/catalogues.js';
import { schemeOfKey } from '../catalogues/open-values.js';
import { freezesOfKey } from '../state/freezes.js';
import type { Key, VaultState } from '../state/state.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { attestationViews } from './attestation-view.js';
import { effectiveState } from './freeze-view.js';
import { stampsView } from './stamps-view.js';

export function keyView(
  state: VaultState,
  row: Key,
  catalogues: Catalogues,
): s.InputOf<typeof key> {
  return {
    id: row.id,
    display_name: row.displayName,
    description: row.description,
    type: row.type,
    scheme: schemeOfKey(row, catalogues),
    custody: row.custody,
    ...(row.modulusBits !== null && { modulus_bits: row.modulusBits }),
    ...(row.encoding !== null && { encoding: row.encoding }),
    ...(row.publicKey !== '' && { public_key: publicKeyView(row) }),
    ...(row.venueId !== null && { venue_id: row.venueId }),
    ...(row.venueApiKey !== null && { venue_api_key: row.venueApiKey }),
    labels: { ...row.labels },
    ...keyState(state, row),
    version: row.version,
    ...(row.walletId !== null && { wallet_id: row.walletId }),
    attestations: attestationViews(row.attestations),
    ...stampsView(row),
  };
}

/** A disabled or destroyed key stays so, frozen or not. */
function keyState(
  state: VaultState,
  row: Key,
): Pick<s.InputOf<typeof key>, 'status' | 'frozen_by'> {
  const effective = effectiveState(freezesOfKey(state, row), 'active');
  const { status } = row;
  return status === 'disabled' || status === 'destroyed' ? { ...effective, status } : effective;
}

type PublicKeyView = Readonly<s.InputOf<typeof publicKey>>;

/** Rows never change, so their views are kept: most of the processor time of reading a key went into its PEM. */
const PUBLIC_KEYS = new WeakMap<Key, PublicKeyView>();

export function publicKeyView(row: Key): PublicKeyView {
  const known = PUBLIC_KEYS.get(row);
  if (known !== undefined) return known;
  const view = Object.freeze(makePublicKeyView(row));
  PUBLIC_KEYS.set(row, view);
  return view;
}

function makePublicKeyView(row: Key): PublicKeyView {
  const keyObject = publicKeyObject(row);
  const pem = keyObject.export({ format: 'pem', type: 'spki' }).toString();
  const raw =
    row.type === 'rsa'
      ? keyObject.export({ format: 'der', type: 'pkcs1' }).toString('base64')
      : row.publicKey;
  return { pem, raw };
}

function publicKeyObject(row: Key): KeyObject {
  const bytes = Buffer.from(row.publicKey, 'base64');
  if (row.type === 'rsa') return createPublicKey({ key: bytes, format: 'der', type: 'spki' });
  const x = bytes.toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

/** The newest recipient of each party. */
export function importRecipientsView(state: VaultState): s.InputOf<typeof importRecipients> {
  const newest = PARTY_NUMBERS.flatMap(
    (party) => state.importRecipients.findLast((row) => row.party === party) ?? [],
  );
  return {
    genesis_hash: state.genesisHash,
    recipients: newest.map((row) => ({
      party: row.party,
      recipient_id: row.id,
      public_key: row.publicKey,
      expires_at: timeView(row.expiresAt),
      signature: row.signature,
    })),
  };
}
