import * as s from '@countersign/core/shapes.js';
import { resourceRequests } from './api-request.js';
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

export const [createAddressListRequest, updateAddressListRequest, deleteAddressListRequest] =
  resourceRequests(
    // whoever may change what a rule allows everywhere may change the lists that rules name
    'address-list',
    '/v1/address-lists/{list_id}',
    'manage_signing_policies',
    {
      create: s.strictObject({
        display_name: displayName,
        description: description.optional(),
        entries,
      }),
      update: s.strictObject({
        version: s.int().min(1),
        display_name: displayName.optional(),
        description: description.optional(),
        entries: entries.optional(),
      }),
    },
  );
