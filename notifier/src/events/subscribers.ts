import type { Webhook } from '@countersign/vault/state/state.js';
import type { VaultEvent } from './vault-event.js';

/** The webhooks that get an event: none gets what was known before it was registered. */
export function subscribersOf(
  { type, at, knownAt = at }: Pick<VaultEvent, 'type' | 'at' | 'knownAt'>,
  webhooks: readonly Webhook[],
): Webhook[] {
  return webhooks.filter(
    ({ enabled, events, createdAt }) =>
      enabled && createdAt <= Math.max(at, knownAt) && events.includes(type),
  );
}
