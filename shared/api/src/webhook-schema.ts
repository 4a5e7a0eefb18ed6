/** Webhooks: where the vault tells of its events. docs/EVENTS.md is the contract of what is sent. */
import { z } from 'zod';
import { pageOf, stampFields } from './common-schema.js';
import { dateTime, displayName, id, pageQuery, queryEnum } from './primitives.js';

/** What a webhook can be told of. */
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

const url = z
  .string()
  .min(1)
  .max(2048)
  .regex(/^https?:\/\/[!-~]+$/, 'must be a URL of printable ASCII characters')
  .describe(
    'Where events go: `https`, a public host by name or address, any port, without user information and fragment. The host is resolved and looked at again each time.',
  );

const events = z
  .array(z.enum(EVENT_TYPES))
  .min(1)
  .max(EVENT_TYPES.length)
  .refine((types) => new Set(types).size === types.length, 'must not repeat a type')
  .describe('Which events are sent, none twice; `GET /openapi.json` lists the types.');

export const createWebhookBody = z
  .strictObject({
    display_name: displayName,
    url,
    events,
    enabled: z.boolean().optional().describe('Whether events are sent; true when absent.'),
  })
  .meta({ id: 'CreateWebhookRequest' });

export const updateWebhookBody = z
  .strictObject({
    version: z.int().min(1).describe('The version that was read: 409 when it is another by now.'),
    display_name: displayName.optional().describe('New name. Absent: unchanged.'),
    url: url.optional().describe('Where events go from now on, as at creation. Absent: unchanged.'),
    events: events.optional().describe('Which events are sent from now on. Absent: unchanged.'),
    enabled: z
      .boolean()
      .optional()
      .describe(
        'Whether events are sent; those that come meanwhile are not kept. Absent: unchanged.',
      ),
  })
  .meta({ id: 'UpdateWebhookRequest' });

export const webhook = z
  .strictObject({
    id: id.describe('Id of the webhook.'),
    display_name: z.string().describe('Name for people.'),
    url: z.string().describe('Where events go.'),
    events: z.array(z.string()).describe('Types of the events that are sent.'),
    enabled: z.boolean().describe('Whether events are sent.'),
    version: z.int().describe('Begins at 1 and rises by 1 with every update.'),
    ...stampFields,
  })
  .meta({ id: 'Webhook' });

export const webhookPage = pageOf('WebhookPage', webhook);

export const listWebhooksQuery = z.strictObject(pageQuery);

const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;

export const webhookDelivery = z
  .strictObject({
    event_id: id.describe('Id of the event: the same at every attempt.'),
    event_type: z.string().describe('Type of the event.'),
    status: z
      .enum(DELIVERY_STATUSES)
      .describe(
        '`pending`: it is tried, or tried again later. `delivered`: the endpoint answered 2xx. `failed`: it is not tried again, unless it is sent anew.',
      ),
    attempts: z.int().describe('How often it was tried since it was last sent anew.'),
    response_status: z
      .int()
      .nullable()
      .describe('HTTP status of the last answer; null when there was none.'),
    error: z
      .string()
      .nullable()
      .describe('Why the last attempt came to nothing, in a few words; null when it did not.'),
    created_at: dateTime.describe('When it was first to be sent; RFC 3339, UTC, milliseconds.'),
    next_attempt_at: dateTime
      .nullable()
      .describe('When it is tried next; null unless it is pending. RFC 3339, UTC, milliseconds.'),
  })
  .meta({ id: 'WebhookDelivery' });

export type WebhookDeliveryView = z.input<typeof webhookDelivery>;

export const webhookDeliveryPage = pageOf('WebhookDeliveryPage', webhookDelivery);

export const listDeliveriesQuery = z.strictObject({
  ...pageQuery,
  status: queryEnum(DELIVERY_STATUSES)
    .optional()
    .meta({ description: 'Deliveries in this state alone.' }),
});

export const resendBody = z
  .strictObject({
    event_id: id.optional().describe('The one event to be sent again.'),
    after_event_id: id
      .optional()
      .describe('The last event that the receiver has: what came after it is sent again.'),
  })
  .refine(
    (body) => (body.event_id === undefined) !== (body.after_event_id === undefined),
    'needs exactly one of event_id and after_event_id',
  )
  .meta({ id: 'ResendRequest' });

export const resendView = z
  .strictObject({
    deliveries: z.int().describe('How many deliveries are to be sent again.'),
  })
  .meta({ id: 'Resend' });

/** RFC 7517 with RFC 8037. */
export const webhookKeys = z
  .strictObject({
    keys: z
      .array(
        z.strictObject({
          kty: z.literal('OKP').describe('Key type (RFC 8037).'),
          crv: z.literal('Ed25519').describe('Curve (RFC 8037).'),
          x: z.string().describe('Public key, 32 bytes, base64url.'),
          kid: z.string().describe('Key id: the thumbprint of the key (RFC 7638), base64url.'),
          alg: z.literal('EdDSA').describe('Algorithm (RFC 8037).'),
          use: z.literal('sig').describe('It signs.'),
        }),
      )
      .describe('Keys that sign events now, and any that are about to; empty where none are sent.'),
  })
  .meta({ id: 'WebhookKeys' });

export type WebhookKeys = z.output<typeof webhookKeys>;
