import type { Webhook } from '@countersign/vault/state/state.js';
import type { VaultEvent } from './vault-event.js';

/** The webhooks that get an event: none gets what happened before it was registered. */
export function subscribersOf(
  { type, at }: Pick<VaultEvent, 'type' | 'at'>,
  webhooks: readonly Webhook[],
): Webhook[] {
  return webhooks.filter(
    ({ enabled, events, createdAt }) => enabled && createdAt <= at && events.includes(type),
  );
}
