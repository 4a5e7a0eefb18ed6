import { timeView } from '@countersign/api/common-schema.js';
import type { Stamps } from '../state/state.js';

export function stampsView(row: Stamps) {
  return {
    created_at: timeView(row.createdAt),
    created_by: row.createdBy,
    last_updated_at: timeView(row.lastUpdatedAt),
    last_updated_by: row.lastUpdatedBy,
  };
}
