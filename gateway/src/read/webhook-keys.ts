import { readFileSync } from 'node:fs';
import { webhookKeys, type WebhookKeys } from '@countersign/api/webhook-schema.js';

/** The public keys for events, as the notifier's operator gave them. Throws when they cannot be read. */
export function readWebhookKeys(file: string | undefined): WebhookKeys {
  return file === undefined
    ? { keys: [] }
    : webhookKeys.parse(JSON.parse(readFileSync(file, 'utf8')));
}
