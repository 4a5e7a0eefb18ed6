/** Webhooks: addresses that the vault sends its events to. docs/reference/events.md is the contract of what is sent. */
import * as s from '@countersign/core/shapes.js';
import { pageOf, stampFields } from './common-schema.js';
import { dateTime, DISPLAY_NAME_TEXT, id, pageQuery, queryEnum } from './primitives.js';
import type { RequestTexts } from './request-texts.js';

export const createWebhookTexts: RequestTexts = {
  name: 'CreateWebhookRequest',
  body: {
    display_name: DISPLAY_NAME_TEXT,
    url: 'Where events go: `https`, a public host by name or address, any port, without user information and fragment. The host is resolved and looked at again each time.',
    events: 'Which events are sent, none twice; `GET /openapi.json` lists the types.',
    enabled: 'Whether events are sent; true when absent.',
  },
};

export const updateWebhookTexts: RequestTexts = {
  name: 'UpdateWebhookRequest',
  body: {
    version: 'The version that was read: 409 when it is another by now.',
    display_name: 'New name. Absent: unchanged.',
    url: 'Where events go from now on, as at creation. Absent: unchanged.',
    events: 'Which events are sent from now on. Absent: unchanged.',
    enabled: 'Whether events are sent; those that come meanwhile are not kept. Absent: unchanged.',
  },
};

export const webhook = s
  .strictObject({
    id: id.describe('Id of the webhook.'),
    display_name: s.string().describe('Name for people.'),
    url: s.string().describe('URL that events are sent to.'),
    events: s.array(s.string()).describe('Types of the events that are sent.'),
    enabled: s.boolean().describe('Whether events are sent.'),
    version: s.int().describe('Begins at 1 and rises by 1 with every update.'),
    ...stampFields,
  })
  .meta({ id: 'Webhook' });

export const webhookPage = pageOf('WebhookPage', webhook);

export const listWebhooksQuery = s.strictObject(pageQuery);

const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;

export const webhookDelivery = s
  .strictObject({
    event_id: id.describe('Id of the event: the same at every attempt.'),
    event_type: s.string().describe('Type of the event.'),
    status: s
      .words(DELIVERY_STATUSES)
      .describe(
        '`pending`: it is tried, or tried again later. `delivered`: the endpoint answered 2xx. `failed`: it is not tried again, unless it is sent anew.',
      ),
    attempts: s.int().describe('How often it was tried since it was last sent anew.'),
    response_status: s
      .int()
      .nullable()
      .describe('HTTP status of the last answer; null when there was none.'),
    error: s
      .string()
      .nullable()
      .describe('Why the last attempt came to nothing, in a few words; null when it did not.'),
    created_at: dateTime.describe('When it was first to be sent; RFC 3339, UTC, milliseconds.'),
    next_attempt_at: dateTime
      .nullable()
      .describe('When it is tried next; null unless it is pending. RFC 3339, UTC, milliseconds.'),
  })
  .meta({ id: 'WebhookDelivery' });

export type WebhookDeliveryView = s.InputOf<typeof webhookDelivery>;

export const webhookDeliveryPage = pageOf('WebhookDeliveryPage', webhookDelivery);

export const listDeliveriesQuery = s.strictObject({
  ...pageQuery,
  status: queryEnum(DELIVERY_STATUSES)
    .optional()
    .meta({ description: 'Deliveries in this state alone.' }),
});

export const resendBody = s
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

export const resendView = s
  .strictObject({
    deliveries: s.int().describe('Number of deliveries that are sent again.'),
  })
  .meta({ id: 'Resend' });

/** RFC 7517 with RFC 8037. */
export const webhookKeys = s
  .strictObject({
    keys: s
      .array(
        s.strictObject({
          kty: s.literal('OKP').describe('Key type (RFC 8037).'),
          crv: s.literal('Ed25519').describe('Curve (RFC 8037).'),
          x: s.string().describe('Public key, 32 bytes, base64url.'),
          kid: s.string().describe('Key id: the thumbprint of the key (RFC 7638), base64url.'),
          alg: s.literal('EdDSA').describe('Algorithm (RFC 8037).'),
          use: s.literal('sig').describe('Use of the key: it signs.'),
        }),
      )
      .describe('Keys that sign events now, and any that are about to; empty where none are sent.'),
  })
  .meta({ id: 'WebhookKeys' });

export type WebhookKeys = s.OutputOf<typeof webhookKeys>;
