/** Keys that the parties make, and changes of keys. `import-key.ts`: keys that come from elsewhere. */
import * as requests from '@countersign/api/requests/keys.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type * as s from '@countersign/core/shapes.js';
import { SCHEMES_BY_KEY_TYPE } from '@countersign/core/signature-schemes.js';
import type { Key, VaultState } from '../state/state.js';
import { insertRow, replaceRow } from '../state/table.js';
import { placed } from './bulk-places.js';
import { ledgerOperation, type Applied, type ApplyContext } from './ledger-operation.js';
import { findRow, noSuchResource, updatedStamps } from './lookups.js';
import { newKey } from './new-key.js';
import { refuseStale, stated } from './row-kind.js';
import { leaveSecurityGroups } from './security-group-members.js';

type KeyBody = s.OutputOf<typeof requests.generateKeyRequest.body>;

const DEFAULT_MODULUS_BITS = 2048;

/**
 * Asks the parties for a key that none of them ever holds whole. This records only the wish: the key is `generating`
 * until all three have attested the same public key.
 */
export const generateKey = ledgerOperation({
  ...requests.generateKeyRequest,
  apply: (state, { body }, context) => applyNewKey(state, generatedKey(body, context)),
});

export const bulkGenerateKeys = ledgerOperation({
  ...requests.bulkGenerateKeysRequest,
  apply(state, { body }, context) {
    const keys = body.keys.map((key, index) => generatedKey(key, placed(context, index)));
    const keyIds = keys.map(({ id }) => id);
    return {
      state: keys.reduce<VaultState>((made, key) => applyNewKey(made, key).state, state),
      subject: { resourceType: 'key', resourceIds: keyIds, keyIds },
    };
  },
});

/** Labels, venue and everything that a policy may rest on can never be changed. */
export const updateKey = ledgerOperation({
  ...requests.updateKeyRequest,
  apply(state, { params, body }, context) {
    const before = findVisibleKey(state, params['key_id']);
    if (isRefusal(before)) return before;
    if (before.status === 'destroyed') return refuse('resource_conflict', 'the key is destroyed');
    const { version, display_name: displayName, description, venue_api_key: venueApiKey } = body;
    if (version !== undefined && version !== before.version) {
      return refuseStale('key', before.version);
    }
    const fields = stated({ displayName, description, venueApiKey });
    return applyChangedKey(state, { ...before, ...fields }, context);
  },
});

/** Cannot be undone: every party deletes its share, and this row stays as the tombstone. */
export const destroyKey = ledgerOperation({
  ...requests.destroyKeyRequest,
  onlyTakesAway: true,
  apply(state, { params }, context) {
    const before = findVisibleKey(state, params['key_id']);
    if (isRefusal(before)) return before;
    if (state.wallets.rows.has(before.walletId ?? '')) {
      return refuse('resource_conflict', 'the key belongs to a wallet: remove the wallet first');
    }
    if (before.status === 'destroyed') return { state, subject: keySubject(before) };
    const left = leaveSecurityGroups(state, before.id);
    return applyChangedKey(left, { ...before, status: 'destroyed' }, context);
  },
});

/** A key that the parties are to make. */
function generatedKey(body: KeyBody, context: ApplyContext): Key {
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

/** Adds a key, which is work for the parties until they have attested it. */
export function applyNewKey(state: VaultState, key: Key): Applied {
  return { state: { ...state, keys: insertRow(state.keys, key) }, subject: keySubject(key) };
}

/** Writes a changed key, and raises its version. */
function applyChangedKey(state: VaultState, changed: Key, context: ApplyContext): Applied {
  const key = { ...changed, version: changed.version + 1, ...updatedStamps(context) };
  return { state: { ...state, keys: replaceRow(state.keys, key) }, subject: keySubject(key) };
}

function keySubject({ id }: Key): Applied['subject'] {
  return { resourceType: 'key', resourceIds: [id], keyIds: [id] };
}

/** A key that callers can see: it was completed, whatever became of it since. */
export function findVisibleKey(state: VaultState, id: string | undefined): Key | Refusal {
  const row = findRow(state.keys, id);
  if (isRefusal(row)) return row;
  return isVisibleKey(row) ? row : noSuchResource(id);
}

/** False for keys on their way and failed ones, which are seen in their request's record alone. */
export function isVisibleKey({ status }: Key): boolean {
  return status === 'active' || status === 'disabled' || status === 'destroyed';
}
