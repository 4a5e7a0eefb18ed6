import {
  createWebhookRequest,
  deleteWebhookRequest,
  updateWebhookRequest,
} from '@countersign/api/requests/webhooks.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type { Catalogues } from '../catalogues/catalogues.js';
import { webhooksOf, type VaultState } from '../state/state.js';
import { deleteRow, insertRow, replaceRow } from '../state/table.js';
import { webhookView } from '../views/webhook-view.js';
import { findRow, newStamps, updatedStamps } from './lookups.js';
import { ledgerOperation, type Subject } from './ledger-operation.js';

/** Each takes a line of its own in the notifier. */
const MAX_WEBHOOKS = 50;

export const createWebhook = ledgerOperation({
  ...createWebhookRequest,
  check: (_state, { body }, catalogues) => refuseUrl(body.url, catalogues),
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
  answer: answerWebhook,
});

export const updateWebhook = ledgerOperation({
  ...updateWebhookRequest,
  check: (_state, { body }, catalogues) => refuseUrl(body.url, catalogues),
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
  answer: answerWebhook,
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
  answer: (_state, subject) => ({ deleted: [...subject.resourceIds] }),
});

/** Which addresses are private is known better in the next release: whoever connects asks again. */
function refuseUrl(
  url: string | undefined,
  { findDestinationFault }: Catalogues,
): Refusal | undefined {
  const fault = url === undefined ? undefined : findDestinationFault(url);
  return fault === undefined ? undefined : refuse('invalid_inputs', `url: ${fault}`);
}

function subjectOf(id: string): Subject {
  return { resourceType: 'webhook', resourceIds: [id] };
}

function answerWebhook(state: VaultState, subject: Subject) {
  const row = findRow(webhooksOf(state), subject.resourceIds[0]);
  return isRefusal(row) ? row : webhookView(row);
}
