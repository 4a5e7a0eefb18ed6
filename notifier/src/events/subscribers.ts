import type { Webhook } from '@countersign/vault/state/state.js';
import type { VaultEvent } from './vault-event.js';

/** Those that an event is to be sent to: what happened before a webhook was registered is not its business. */
export function subscribersOf(
  { type, at }: Pick<VaultEvent, 'type' | 'at'>,
  webhooks: readonly Webhook[],
): Webhook[] {
  return webhooks.filter(
    ({ enabled, events, createdAt }) => enabled && createdAt <= at && events.includes(type),
  );
}
