import type { webhook } from '@countersign/api/webhook-schema.js';
import type * as s from '@countersign/core/shapes.js';
import type { Webhook } from '../state/state.js';
import { stampsView } from './stamps-view.js';

export function webhookView(row: Webhook): s.InputOf<typeof webhook> {
  return {
    id: row.id,
    display_name: row.displayName,
    url: row.url,
    events: [...row.events],
    enabled: row.enabled,
    version: row.version,
    ...stampsView(row),
  };
}
