import type { addressList } from '@countersign/api/address-list-schema.js';
import type * as s from '@countersign/core/shapes.js';
import type { AddressList } from '../state/state.js';
import { stampsView } from './stamps-view.js';

export function addressListView(row: AddressList): s.InputOf<typeof addressList> {
  return {
    id: row.id,
    display_name: row.displayName,
    description: row.description,
    entries: row.entries.map(({ address, displayName }) => ({
      address,
      display_name: displayName,
    })),
    version: row.version,
    ...stampsView(row),
  };
}
