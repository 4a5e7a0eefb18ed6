import * as requests from '@countersign/api/requests/webhooks.js';
import { refuse } from '@countersign/core/errors.js';
import { webhooksOf } from '../state/state.js';
import { ledgerOperation } from './ledger-operation.js';
import { RowKind, stated } from './row-kind.js';

/** Each webhook takes a line of its own in the notifier. */
const MAX_WEBHOOKS = 50;

const webhooks = new RowKind('webhooks', { what: 'webhook', resourceType: 'webhook' });

export const createWebhook = ledgerOperation({
  ...requests.createWebhookRequest,
  apply(state, { body }, context) {
    if (webhooksOf(state).rows.size >= MAX_WEBHOOKS) {
      return refuse('resource_conflict', `there are ${MAX_WEBHOOKS} webhooks already`);
    }
    const { display_name: displayName, url, events, enabled = true } = body;
    const row = webhooks.newRow(context, { displayName, url, events, enabled, version: 1 });
    return webhooks.insert(state, row);
  },
});

export const updateWebhook = ledgerOperation({
  ...requests.updateWebhookRequest,
  apply(state, input, context) {
    const { display_name: displayName, url, events, enabled } = input.body;
    const fields = stated({ displayName, url, events, enabled });
    return webhooks.change(state, input, context, (before) => ({ ...before, ...fields }));
  },
});

export const deleteWebhook = ledgerOperation({
  ...requests.deleteWebhookRequest,
  apply: (state, { params }) => webhooks.remove(state, params),
});
