/**
 * Idempotency keys: per caller, for 24 hours. The same key with the same body leads to the first request; with another
 * body it is a conflict. A retry signs again with a fresh nonce.
 */
import type { IncomingMessage } from 'node:http';
import { refuse, type Refusal } from '@countersign/core/errors.js';
import type { Evidence } from '@countersign/core/evidence.js';
import { sha256 } from '@countersign/core/hash.js';
import type pg from 'pg';
import { queryStore } from '../stores/ask-store.js';

const FORM = /^[\x21-\x7e]{1,64}$/;

/** Undefined when the caller gives none; 400 when it is malformed. */
export function parseIdempotencyKey(request: IncomingMessage): string | undefined | Refusal {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  return typeof key === 'string' && FORM.test(key)
    ? key
    : refuse('parse_error', 'idempotency-key: must be 1 to 64 printable ASCII characters');
}

/** An earlier request has had the key for so long: answer for that one, or take over when it came to nothing. */
export interface Repeat {
  readonly kind: 'repeat';
  readonly requestId: string;
  readonly ageMs: number;
}

export type Claim =
  /** The key is this request's: go on. */
  { readonly kind: 'first' } | Repeat;

export interface IdempotencyStore {
  /** The result that a claim would have, without claiming: 409 when the key has another body. */
  find(key: string, callerId: string, evidence: Evidence): Promise<Claim | Refusal>;
  claim(
    key: string,
    callerId: string,
    evidence: Evidence,
    requestId: string,
  ): Promise<Claim | Refusal>;
  /** Notes that a caller is told to wait for the request that has the key: its id leads to a record from now on. */
  promise(repeat: Repeat, operationId: string, callerId: string): Promise<void>;
  /** Whether the key is now this request's in place of an abandoned one. */
  takeOver(key: string, callerId: string, from: string, to: string): Promise<boolean>;
}

const CLAIM = `INSERT INTO idempotency_key (created_by, key, body_sha256, request_id, created_at)
  VALUES ($1, $2, $3, $4, now())
  ON CONFLICT (created_by, key) DO UPDATE
    SET body_sha256 = excluded.body_sha256, request_id = excluded.request_id, created_at = now()
    WHERE idempotency_key.created_at < now() - interval '24 hours'
  RETURNING request_id`;

const FIND = `SELECT request_id, body_sha256, extract(epoch FROM now() - created_at) * 1000 AS age_ms
  FROM idempotency_key
  WHERE created_by = $1 AND key = $2 AND created_at >= now() - interval '24 hours'`;

const TAKE_OVER = `UPDATE idempotency_key SET request_id = $4, created_at = now()
  WHERE created_by = $1 AND key = $2 AND request_id = $3`;

const PROMISE = `INSERT INTO promised_request (request_id, operation, created_by, created_at)
  VALUES ($1, $2, $3, now() - $4 * interval '1 millisecond') ON CONFLICT DO NOTHING`;

interface FoundRow {
  request_id: string;
  body_sha256: Buffer;
  age_ms: string;
}

/** Keys in PostgreSQL, so that every gateway knows them. */
export function createIdempotencyStore(pool: pg.Pool): IdempotencyStore {
  async function find(key: string, callerId: string, evidence: Evidence): Promise<Claim | Refusal> {
    const { rows } = await queryStore<FoundRow>(pool, FIND, [callerId, key]);
    const row = rows[0];
    if (row === undefined) return { kind: 'first' };
    return row.body_sha256.equals(fingerprint(evidence))
      ? { kind: 'repeat', requestId: row.request_id, ageMs: Number(row.age_ms) }
      : refuse('resource_conflict', 'the idempotency key was used for another request');
  }

  return {
    find,
    async claim(key, callerId, evidence, requestId) {
      const values = [callerId, key, fingerprint(evidence), requestId];
      const claimed = await queryStore(pool, CLAIM, values);
      return claimed.rowCount === 1 ? { kind: 'first' } : find(key, callerId, evidence);
    },
    async promise({ requestId, ageMs }, operationId, callerId) {
      await queryStore(pool, PROMISE, [requestId, operationId, callerId, ageMs]);
    },
    async takeOver(key, callerId, from, to) {
      return (await queryStore(pool, TAKE_OVER, [callerId, key, from, to])).rowCount === 1;
    },
  };
}

/** Identifies "the same body": method, path, query and body bytes. */
function fingerprint(evidence: Evidence): Buffer {
  return sha256(`${evidence.method} ${evidence.path}?${evidence.query}\n`, evidence.body);
}
