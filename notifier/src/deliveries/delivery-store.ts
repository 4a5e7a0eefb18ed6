/** Rows of what is to be sent and how that ended, which several notifiers share. */
import type pg from 'pg';
import type { EventPlace } from '../events/vault-event.js';
import type { NextStep } from './delivery-schedule.js';

export interface Delivery extends EventPlace {
  readonly webhookId: string;
  readonly eventId: string;
  /** Earlier attempts. */
  readonly attempts: number;
}

export interface NewDelivery {
  readonly webhook_id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly source_seq: number;
}

export interface DeliveryStore {
  /** The place up to which a source has been read; 0 at first. */
  readPosition(source: EventPlace['source']): Promise<number>;
  /**
   * Writes position and deliveries together, so that nothing before the position is lost. Known deliveries stay as they
   * are.
   */
  add(source: EventPlace['source'], position: number, added: readonly NewDelivery[]): Promise<void>;
  /** Carries out resends that gateways have asked for. */
  takeResends(): Promise<void>;
  /** Webhooks that have something to be sent now. */
  findDue(): Promise<string[]>;
  /** Claims up to `limit` deliveries of one webhook, which no other notifier takes for a while. */
  claim(webhookId: string, limit: number): Promise<Delivery[]>;
  settle(delivery: Pick<Delivery, 'webhookId' | 'eventId'>, step: NextStep): Promise<void>;
  /** Ends everything that waits for this webhook. */
  abandon(webhookId: string, reason: string): Promise<void>;
  /** Deletes some settled deliveries that were added more than `days` ago, never waiting ones; returns how many. */
  forget(days: number): Promise<number>;
}

/** No attempt takes this long. */
const LEASE = '60 seconds';
/** Further deliveries are not sent, unless somebody asks for it. */
const MAX_WAITING = 10_000;

const ADD = `
  WITH item AS (
    SELECT * FROM jsonb_to_recordset($3::jsonb)
      AS item(webhook_id uuid, event_id uuid, event_type text, source_seq bigint)
  ), full_line AS (
    SELECT webhook_id FROM webhook_delivery WHERE status = 'pending'
      AND webhook_id IN (SELECT webhook_id FROM item)
    GROUP BY webhook_id HAVING count(*) >= ${MAX_WAITING}
  ), added AS (
    INSERT INTO webhook_delivery (webhook_id, event_id, event_type, source, source_seq, status, error)
    SELECT webhook_id, event_id, event_type, $1, source_seq,
      CASE WHEN is_full THEN 'failed' ELSE 'pending' END,
      CASE WHEN is_full THEN 'too much waits for this webhook' END
    FROM (SELECT *, webhook_id IN (SELECT webhook_id FROM full_line) AS is_full FROM item) AS item
    ORDER BY source_seq
    ON CONFLICT DO NOTHING
  )
  INSERT INTO webhook_cursor (source, position) VALUES ($1, $2)
  ON CONFLICT (source) DO UPDATE SET position = greatest(webhook_cursor.position, excluded.position)`;

const TAKE_RESENDS = `
  WITH asked AS (DELETE FROM webhook_resend RETURNING webhook_id, from_seq, to_seq)
  UPDATE webhook_delivery AS delivery SET status = 'pending', attempts = 0, next_attempt_at = now(),
    lease_until = NULL, response_status = NULL, error = NULL
  FROM asked
  WHERE delivery.webhook_id = asked.webhook_id AND delivery.seq BETWEEN asked.from_seq AND asked.to_seq`;

const IS_DUE = `status = 'pending' AND next_attempt_at <= now()
  AND (lease_until IS NULL OR lease_until < now())`;

const CLAIM = `
  UPDATE webhook_delivery SET lease_until = now() + interval '${LEASE}'
  WHERE (webhook_id, event_id) IN (
    SELECT webhook_id, event_id FROM webhook_delivery WHERE webhook_id = $1 AND ${IS_DUE}
    ORDER BY seq LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  RETURNING webhook_id, event_id, source, source_seq, attempts`;

const SETTLE = `
  UPDATE webhook_delivery SET status = $3, attempts = attempts + 1, response_status = $4, error = $5,
    next_attempt_at = now() + $6 * interval '1 millisecond', lease_until = NULL
  WHERE webhook_id = $1 AND event_id = $2`;

/** Deleted in one statement: a sweep blocks nobody. */
const FORGOTTEN_AT_ONCE = 1_000;

const FORGET = `
  DELETE FROM webhook_delivery WHERE seq IN (
    SELECT seq FROM webhook_delivery
    WHERE status <> 'pending' AND created_at < now() - $1 * interval '1 day'
    ORDER BY seq LIMIT ${FORGOTTEN_AT_ONCE} FOR UPDATE SKIP LOCKED
  )`;

interface DeliveryRow {
  webhook_id: string;
  event_id: string;
  source: EventPlace['source'];
  source_seq: string;
  attempts: number;
}

export function createDeliveryStore(pool: Pick<pg.Pool, 'query'>): DeliveryStore {
  return {
    async readPosition(source) {
      const { rows } = await pool.query<{ position: string }>(
        'SELECT position FROM webhook_cursor WHERE source = $1',
        [source],
      );
      return Number(rows[0]?.position ?? 0);
    },
    async add(source, position, added) {
      await pool.query(ADD, [source, position, JSON.stringify(added)]);
    },
    async takeResends() {
      await pool.query(TAKE_RESENDS);
    },
    async findDue() {
      const { rows } = await pool.query<{ webhook_id: string }>(
        `SELECT DISTINCT webhook_id FROM webhook_delivery WHERE ${IS_DUE}`,
      );
      return rows.map((row) => row.webhook_id);
    },
    async claim(webhookId, limit) {
      const { rows } = await pool.query<DeliveryRow>(CLAIM, [webhookId, limit]);
      return rows.map((row) => ({
        webhookId: row.webhook_id,
        eventId: row.event_id,
        source: row.source,
        sourceSeq: Number(row.source_seq),
        attempts: row.attempts,
      }));
    },
    async settle({ webhookId, eventId }, { status, responseStatus, error, retryInMs }) {
      const text = error?.slice(0, 200) ?? null;
      await pool.query(SETTLE, [webhookId, eventId, status, responseStatus, text, retryInMs]);
    },
    async abandon(webhookId, reason) {
      await pool.query(
        `UPDATE webhook_delivery SET status = 'failed', error = $2
         WHERE webhook_id = $1 AND status = 'pending'`,
        [webhookId, reason],
      );
    },
    async forget(days) {
      const { rowCount } = await pool.query(FORGET, [days]);
      return rowCount ?? 0;
    },
  };
}
