/** What the notifier has sent, as its rows say, and requests that it sends some of it again. */
import { listDeliveriesOperation, resendOperation } from '@countersign/api/operations/webhooks.js';
import { DEFAULT_PAGE_LIMIT } from '@countersign/api/primitives.js';
import type { WebhookDeliveryView } from '@countersign/api/webhook-schema.js';
import { isRefusal } from '@countersign/core/errors.js';
import { findRow, noSuchResource } from '@countersign/vault/operations/lookups.js';
import { webhooksOf } from '@countersign/vault/state/state.js';
import { cursorScope } from './page.js';
import { readOperation } from './read-operation.js';
import { queryStore } from '../stores/ask-store.js';

interface DeliveryRow {
  seq: string;
  event_id: string;
  event_type: string;
  status: WebhookDeliveryView['status'];
  attempts: number;
  response_status: number | null;
  error: string | null;
  created_at: Date;
  next_attempt_at: Date;
}

export const listDeliveries = readOperation({
  ...listDeliveriesOperation,
  async handle({ state, pool, cursors, caller }, { params, query }) {
    const webhook = findRow(webhooksOf(state), params['webhook_id']);
    if (isRefusal(webhook)) return webhook;
    const { cursor, limit = DEFAULT_PAGE_LIMIT, status = null } = query;
    const scope = cursorScope(`webhooks/${webhook.id}/deliveries`, query, caller.id);
    const after = cursor === undefined ? '0' : cursors.open(scope, cursor);
    if (isRefusal(after)) return after;
    const { rows } = await queryStore<DeliveryRow>(
      pool,
      `SELECT seq, event_id, event_type, status, attempts, response_status, error, created_at, next_attempt_at
       FROM webhook_delivery
       WHERE webhook_id = $1 AND seq > $2::bigint AND ($3::text IS NULL OR status = $3::text)
       ORDER BY seq LIMIT $4`,
      [webhook.id, after, status, limit + 1],
    );
    const page = rows.slice(0, limit);
    return {
      results: page.map(deliveryView),
      next_cursor: rows.length > limit ? cursors.seal(scope, page.at(-1)!.seq) : null,
    };
  },
});

function deliveryView(row: DeliveryRow): WebhookDeliveryView {
  return {
    event_id: row.event_id,
    event_type: row.event_type,
    status: row.status,
    attempts: row.attempts,
    response_status: row.response_status,
    error: row.error,
    created_at: row.created_at.toISOString(),
    next_attempt_at: row.status === 'pending' ? row.next_attempt_at.toISOString() : null,
  };
}

export const resendEvents = readOperation({
  ...resendOperation,
  async handle({ state, pool }, { params, body }) {
    const webhook = findRow(webhooksOf(state), params['webhook_id']);
    if (isRefusal(webhook)) return webhook;
    const { event_id: one, after_event_id: last } = body;
    const { rows } = await queryStore<{ from_seq: string; to_seq: string; count: string }>(
      pool,
      `WITH named AS (
         SELECT seq FROM webhook_delivery WHERE webhook_id = $1 AND event_id = $2
       )
       SELECT named.seq AS from_seq, count(other.seq) AS count,
         coalesce(max(other.seq), named.seq) AS to_seq
       FROM named LEFT JOIN webhook_delivery AS other ON other.webhook_id = $1
         AND CASE WHEN $3::boolean THEN other.seq = named.seq ELSE other.seq > named.seq END
       GROUP BY named.seq`,
      [webhook.id, one ?? last, one !== undefined],
    );
    const [range] = rows;
    if (range === undefined) return noSuchResource(one ?? last);
    await queryStore(
      pool,
      'INSERT INTO webhook_resend (webhook_id, from_seq, to_seq) VALUES ($1, $2, $3)',
      [webhook.id, Number(range.from_seq) + (one === undefined ? 1 : 0), range.to_seq],
    );
    return { deliveries: Number(range.count) };
  },
});
