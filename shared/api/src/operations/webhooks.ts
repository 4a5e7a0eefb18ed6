import { deletedView } from '../common-schema.js';
import { apiOperation, OPEN, READ, WRITE } from '../operation.js';
import {
  createWebhookTexts,
  listDeliveriesQuery,
  listWebhooksQuery,
  resendBody,
  resendView,
  updateWebhookTexts,
  webhook,
  webhookDeliveryPage,
  webhookKeys,
  webhookPage,
} from '../webhook-schema.js';
import {
  EVENT_ID,
  MACHINE_PUBLIC_KEY,
  webhook as webhookExample,
  WEBHOOK_ID,
  webhookDelivery,
} from '../example-values.js';
import {
  createWebhookRequest,
  deleteWebhookRequest,
  updateWebhookRequest,
} from '../requests/webhooks.js';

const tag = 'webhooks';

const REFUSED_URL = 'when the URL is not of https or not of a public host';

export const createWebhookOperation = apiOperation({
  ...WRITE,
  tag,
  ...createWebhookRequest,
  texts: createWebhookTexts,
  summary: 'Register a webhook',
  description:
    'From now on events of the given types are sent to the URL, each signed (docs/reference/events.md): at least once, until the endpoint answers 2xx. What happened before is not sent. ' +
    `Answers 422 ${REFUSED_URL}. Answers 409 when there are 50 webhooks.`,
  response: webhook,
  example: {
    body: {
      display_name: 'Security desk',
      url: 'https://hooks.example.com/countersign',
      events: ['freeze.changed', 'alarm.raised'],
    },
    response: webhookExample,
  },
});

export const updateWebhookOperation = apiOperation({
  ...WRITE,
  tag,
  ...updateWebhookRequest,
  texts: updateWebhookTexts,
  summary: 'Update a webhook',
  description:
    'Changes what is given; what waits to be sent goes to the new URL. ' +
    `Answers 404 when there is no such webhook. Answers 409 when it is at another version. Answers 422 ${REFUSED_URL}.`,
  response: webhook,
  example: {
    body: { version: 1, enabled: false },
    response: { ...webhookExample, version: 2, enabled: false },
  },
});

export const deleteWebhookOperation = apiOperation({
  ...WRITE,
  tag,
  ...deleteWebhookRequest,
  summary: 'Delete a webhook',
  description:
    'Nothing more is sent to it, not even what waits. Answers 404 when there is no such webhook.',
  response: deletedView,
  example: { response: { deleted: [WEBHOOK_ID] } },
});

export const listWebhooksOperation = apiOperation({
  ...READ,
  tag,
  id: 'list-webhooks',
  path: '/v1/webhooks',
  summary: 'List webhooks',
  description: 'Webhooks in the order of their creation, oldest first, page by page.',
  query: listWebhooksQuery,
  response: webhookPage,
  example: { response: { results: [webhookExample], next_cursor: null } },
});

export const getWebhookOperation = apiOperation({
  ...READ,
  tag,
  id: 'get-webhook',
  path: '/v1/webhooks/{webhook_id}',
  summary: 'Get a webhook',
  description: 'One webhook. Answers 404 when there is no such webhook.',
  response: webhook,
  example: { response: webhookExample },
});

export const listDeliveriesOperation = apiOperation({
  ...READ,
  tag,
  id: 'list-webhook-deliveries',
  path: '/v1/webhooks/{webhook_id}/deliveries',
  summary: 'List what was sent to a webhook, and what became of it',
  description:
    'Deliveries in the order in which the events were found, oldest first. Answers 404 when there is no such webhook.',
  query: listDeliveriesQuery,
  response: webhookDeliveryPage,
  example: {
    query: { status: 'delivered' },
    response: { results: [webhookDelivery], next_cursor: null },
  },
});

export const resendOperation = apiOperation({
  tag,
  id: 'resend-webhook-events',
  authentication: 'signed',
  method: 'POST',
  path: '/v1/webhooks/{webhook_id}/resend',
  summary: 'Send events to a webhook again',
  description:
    'Sends one event again, or all that came after the last one that the receiver has, whatever became of them before. The events keep their ids. ' +
    'Answers 404 when there is no such webhook, or the event was never to be sent to it.',
  action: 'modify_system_settings',
  body: resendBody,
  response: resendView,
  example: { body: { after_event_id: EVENT_ID }, response: { deliveries: 3 } },
});

export const getWebhookKeysOperation = apiOperation({
  ...OPEN,
  tag,
  id: 'get-webhook-keys',
  path: '/.well-known/countersign-webhook-keys.json',
  summary: 'Get the keys that events are signed with',
  description:
    'A JSON Web Key Set. A receiver that must not trust this gateway has the key from its operator instead.',
  response: webhookKeys,
  example: {
    response: {
      keys: [
        {
          kty: 'OKP',
          crv: 'Ed25519',
          x: MACHINE_PUBLIC_KEY,
          kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
          alg: 'EdDSA',
          use: 'sig',
        },
      ],
    },
  },
});

export const WEBHOOK_OPERATIONS = [
  createWebhookOperation,
  updateWebhookOperation,
  deleteWebhookOperation,
  listWebhooksOperation,
  getWebhookOperation,
  listDeliveriesOperation,
  resendOperation,
  getWebhookKeysOperation,
] as const;
