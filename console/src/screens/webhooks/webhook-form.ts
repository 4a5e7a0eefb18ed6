/** A webhook as a form. */
import { EVENT_TYPES, type EventType } from '@countersign/api/requests/webhooks.js';
import type { OperationValue } from '@countersign/client/operation-calls.js';

export type Webhook = OperationValue<'get-webhook'>;

/** What each event says. */
const MEANINGS: Readonly<Record<EventType, string>> = {
  'request.awaiting_approval': 'a change or a signature waits for approvals',
  'request.approved': 'its last approval was given',
  'request.rejected': 'somebody rejected it',
  'request.expired': 'its approvals did not come in time',
  'request.cancelled': 'somebody cancelled it',
  'request.completed': 'a change took effect',
  'request.failed': 'a change was refused, or could not be done any more',
  'freeze.changed': 'something was frozen or unfrozen',
  'policy.changed': 'a policy, an address list, a group or the settings changed',
  'webhook.changed': 'a webhook was made, changed or deleted',
  'key.created': 'the parties have made a key',
  'key.failed': 'a key will never be made',
  'alarm.raised': 'an alarm was raised',
};

export const EVENT_OPTIONS: ReadonlyMap<string, string> = new Map(
  EVENT_TYPES.map((type) => [type, `${type}: ${MEANINGS[type]}`]),
);

/** What a desk wants to hear of at once. */
const USUAL: readonly EventType[] = [
  'request.awaiting_approval',
  'freeze.changed',
  'policy.changed',
  'webhook.changed',
  'alarm.raised',
];

export interface WebhookForm {
  readonly name: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly isEnabled: boolean;
}

export const NEW_WEBHOOK: WebhookForm = { name: '', url: '', events: USUAL, isEnabled: true };

export function formOf({ display_name: name, url, events, enabled }: Webhook): WebhookForm {
  return { name, url, events, isEnabled: enabled };
}

/** As requests state it. Events that this page does not know are left out: the vault would refuse them. */
export function webhookOf({ name, url, events, isEnabled }: WebhookForm) {
  return {
    display_name: name.trim(),
    url: url.trim(),
    events: EVENT_TYPES.filter((type) => events.includes(type)),
    enabled: isEnabled,
  };
}

/** Why it cannot be signed yet. Which hosts are public, the vault says. */
export function missingIn({ name, url, events }: WebhookForm): string | undefined {
  if (name.trim() === '') return 'Give it a name first.';
  if (!URL.canParse(url.trim())) return 'Give the address first, with https.';
  return events.length === 0 ? 'Choose an event first.' : undefined;
}
