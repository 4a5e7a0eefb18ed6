import * as s from '@countersign/core/shapes.js';
import { apiRequest } from './api-request.js';
import { description, displayName, visibleText } from './primitives.js';

const MAX_LIST_ENTRIES = 1_000;

/** An empty list would say nothing where a rule denies what goes to it. */
const entries = s
  .array(s.strictObject({ address: visibleText(256), display_name: displayName }))
  .min(1)
  .max(MAX_LIST_ENTRIES)
  .refine(
    (all) => new Set(all.map(({ address }) => address)).size === all.length,
    'must not repeat an address',
  );

/** Whoever may change what a rule allows everywhere may change the lists that rules name. */
const action = 'manage_signing_policies';

export const createAddressListRequest = apiRequest({
  id: 'create-address-list',
  method: 'POST',
  path: '/v1/address-lists',
  action,
  body: s.strictObject({
    display_name: displayName,
    description: description.optional(),
    entries,
  }),
});

export const updateAddressListRequest = apiRequest({
  id: 'update-address-list',
  method: 'PUT',
  path: '/v1/address-lists/{list_id}',
  action,
  body: s.strictObject({
    version: s.int().min(1),
    display_name: displayName.optional(),
    description: description.optional(),
    entries: entries.optional(),
  }),
});

export const deleteAddressListRequest = apiRequest({
  id: 'delete-address-list',
  method: 'DELETE',
  path: '/v1/address-lists/{list_id}',
  action,
});
