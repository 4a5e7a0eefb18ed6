/**
 * A request that waits, as an approver checks it on a machine of their own: the digest that an approval is for is
 * computed again from what is shown, so that neither the gateway nor the machine that asked can show one change and
 * have another approved.
 */
import { requestRecord } from '@countersign/api/service-schema.js';
import { approvalDigest } from '@countersign/core/approval.js';
import { toHex } from '@countersign/core/bytes.js';
import { readSigning } from './read-signing.js';

/** What `GET /v1/requests/{request_id}` answered is no record, or of a request that does not wait. */
export class UnreadableRecordError extends Error {}

export interface ShownRequest {
  readonly request_id: string;
  readonly operation: string;
  readonly asked_by_user: string;
  readonly because_of: NonNullable<Record['asked_by']>;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** JSON where it is JSON; otherwise base64. */
  readonly body: unknown;
  /** Of a signature: what rules look at, read from the bytes above on this machine. */
  readonly reads_as?: Readonly<globalThis.Record<string, unknown>>;
  /** Computed from all of the above but the operation's and the policies' names, hex: what to approve. */
  readonly digest: string;
  /** Whether the record names that digest too. */
  readonly digest_holds: boolean;
}

type Record = ReturnType<typeof requestRecord.parse>;

/** Throws UnreadableRecordError. */
export function showRequest(json: string): ShownRequest {
  const { request_id: id, operation, created_by: requester, ...record } = readRecord(json);
  const { content, digest, asked_by: askedBy = [] } = record;
  if (content === undefined) throw new UnreadableRecordError('the request does not wait any more');
  const body = Buffer.from(content.body, 'base64');
  const transcript = Buffer.from(content.transcript, 'hex');
  const { method, path, query } = content;
  const call = { transcript, requester, method, path, query, body };
  const readsAs = readSigning(call, record.facts?.venue_id);
  const computed = toHex(approvalDigest(call));
  return {
    request_id: id,
    operation,
    asked_by_user: requester,
    because_of: askedBy,
    method,
    path,
    query,
    body: readBody(body),
    ...(readsAs !== undefined && { reads_as: readsAs }),
    digest: computed,
    digest_holds: computed === digest,
  };
}

function readRecord(json: string) {
  try {
    return requestRecord.parse(JSON.parse(json));
  } catch (error) {
    throw new UnreadableRecordError('not a record of a request', { cause: error });
  }
}

function readBody(body: Buffer): unknown {
  if (body.length === 0) return null;
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return body.toString('base64');
  }
}
