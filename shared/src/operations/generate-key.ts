import { generateKeyBody, key as keySchema, keyView } from '../api/key-schema.js';
import { isRefusal } from '../errors.js';
import type { Key } from '../ledger/state.js';
import { insertRow } from '../ledger/table.js';
import { findRow, newStamps, nothing } from './lookups.js';
import { ledgerOperation } from './operation.js';

export const generateKey = ledgerOperation({
  id: 'generate-key',
  method: 'POST',
  path: '/v1/keys',
  summary: 'Generate a key: the three parties make it together',
  action: 'generate_keys',
  query: nothing,
  body: generateKeyBody,
  response: keySchema,
  apply(state, { body }, context) {
    const key: Key = {
      id: context.newId('key'),
      displayName: body.display_name,
      description: null,
      type: 'ed25519',
      custody: 'mpc',
      venueId: body.venue_id ?? null,
      venueApiKey: body.venue_api_key ?? null,
      labels: body.labels ?? {},
      status: 'generating',
      frozen: null,
      version: 1,
      publicKey: '',
      session: '',
      attestations: [],
      walletId: null,
      ...newStamps(context),
    };
    return {
      state: {
        ...state,
        keys: insertRow(state.keys, key),
        keyIdsGenerating: state.keyIdsGenerating.add(key.id),
      },
      subject: { resourceType: 'key', resourceIds: [key.id], keyIds: [key.id] },
    };
  },
  isPending: (state, subject) => state.keyIdsGenerating.has(subject.resourceIds[0] ?? ''),
  answer(state, subject) {
    const row = findRow(state.keys, subject.resourceIds[0]);
    return isRefusal(row) ? row : keyView(row);
  },
});
