import * as s from '@countersign/core/shapes.js';
import { resourceRequests } from './api-request.js';
import { displayName } from './primitives.js';

/** The events that a webhook can receive. */
export const EVENT_TYPES = [
  'request.awaiting_approval',
  'request.approved',
  'request.rejected',
  'request.expired',
  'request.cancelled',
  'request.completed',
  'request.failed',
  'freeze.changed',
  'policy.changed',
  'webhook.changed',
  'key.created',
  'key.failed',
  'alarm.raised',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

const url = s
  .string()
  .min(1)
  .max(2048)
  .regex(/^https?:\/\/[!-~]+$/, 'must be a URL of printable ASCII characters');

const events = s
  .array(s.words(EVENT_TYPES))
  .min(1)
  .max(EVENT_TYPES.length)
  .refine((types) => new Set(types).size === types.length, 'must not repeat a type');

export const [createWebhookRequest, updateWebhookRequest, deleteWebhookRequest] = resourceRequests(
  'webhook',
  '/v1/webhooks/{webhook_id}',
  'modify_system_settings',
  {
    create: s.strictObject({
      display_name: displayName,
      url,
      events,
      enabled: s.boolean().optional(),
    }),
    update: s.strictObject({
      version: s.int().min(1),
      display_name: displayName.optional(),
      url: url.optional(),
      events: events.optional(),
      enabled: s.boolean().optional(),
    }),
  },
);
