import { readFileSync } from 'node:fs';
import { webhookKeys, type WebhookKeys } from '@countersign/api/webhook-schema.js';

/** What events are signed with, as the notifier's operator gave it. Throws when it cannot be read. */
export function readWebhookKeys(file: string | undefined): WebhookKeys {
  return file === undefined
    ? { keys: [] }
    : webhookKeys.parse(JSON.parse(readFileSync(file, 'utf8')));
}
