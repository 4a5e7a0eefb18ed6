import {
  createWebhookRequest,
  deleteWebhookRequest,
  updateWebhookRequest,
} from '@countersign/api/requests/webhooks.js';
import { isRefusal, refuse } from '@countersign/core/errors.js';
import { webhooksOf } from '../state/state.js';
import { deleteRow, insertRow, replaceRow } from '../state/table.js';
import { findRow, newStamps, updatedStamps } from './lookups.js';
import { ledgerOperation, type Subject } from './ledger-operation.js';

/** Each webhook takes a line of its own in the notifier. */
const MAX_WEBHOOKS = 50;

export const createWebhook = ledgerOperation({
  ...createWebhookRequest,
  apply(state, { body }, context) {
    const webhooks = webhooksOf(state);
    if (webhooks.rows.size >= MAX_WEBHOOKS) {
      return refuse('resource_conflict', `there are ${MAX_WEBHOOKS} webhooks already`);
    }
    const row = {
      id: context.newId('webhook'),
      displayName: body.display_name,
      url: body.url,
      events: body.events,
      enabled: body.enabled ?? true,
      version: 1,
      ...newStamps(context),
    };
    return { state: { ...state, webhooks: insertRow(webhooks, row) }, subject: subjectOf(row.id) };
  },
});

export const updateWebhook = ledgerOperation({
  ...updateWebhookRequest,
  apply(state, { params, body }, context) {
    const webhooks = webhooksOf(state);
    const before = findRow(webhooks, params['webhook_id']);
    if (isRefusal(before)) return before;
    if (body.version !== before.version) {
      return refuse('resource_conflict', `the webhook is at version ${before.version}`);
    }
    const row = {
      ...before,
      displayName: body.display_name ?? before.displayName,
      url: body.url ?? before.url,
      events: body.events ?? before.events,
      enabled: body.enabled ?? before.enabled,
      version: before.version + 1,
      ...updatedStamps(context),
    };
    return { state: { ...state, webhooks: replaceRow(webhooks, row) }, subject: subjectOf(row.id) };
  },
});

export const deleteWebhook = ledgerOperation({
  ...deleteWebhookRequest,
  apply(state, { params }) {
    const row = findRow(webhooksOf(state), params['webhook_id']);
    if (isRefusal(row)) return row;
    return {
      state: { ...state, webhooks: deleteRow(webhooksOf(state), row.id) },
      subject: subjectOf(row.id),
    };
  },
});

function subjectOf(id: string): Subject {
  return { resourceType: 'webhook', resourceIds: [id] };
}
