import {
  getWebhookOperation,
  listWebhooksOperation,
} from '@countersign/api/operations/webhooks.js';
import { findRow } from '@countersign/vault/operations/lookups.js';
import { webhooksOf } from '@countersign/vault/state/state.js';
import { webhookView } from '@countersign/vault/views/webhook-view.js';
import { pageOf, viewOf } from './page.js';
import { readOperation } from './read-operation.js';

export const listWebhooks = readOperation({
  ...listWebhooksOperation,
  handle: (context, { query }) =>
    pageOf(context, {
      name: 'webhooks',
      table: webhooksOf(context.state),
      query,
      matches: () => true,
      view: webhookView,
    }),
});

export const getWebhook = readOperation({
  ...getWebhookOperation,
  handle: ({ state }, { params }) =>
    viewOf(findRow(webhooksOf(state), params['webhook_id']), webhookView),
});
