/**
 * A request that waits, as an approver checks it on a machine of their own: the digest that an approval is for is
 * computed again from what is shown, so that neither the gateway nor the machine that asked can show one change and
 * have another approved.
 */
import { requestRecord } from '@countersign/api/service-schema.js';
import { approvalDigest } from '@countersign/core/approval.js';
import { toHex } from '@countersign/core/bytes.js';
import { requestIdOf } from '@countersign/core/evidence.js';
import { venueOfKey } from '@countersign/core/key-birth.js';
import { findLedgerOperation } from '@countersign/vault/operations/ledger-operations.js';
import { findSigningOperation } from '@countersign/vault/operations/signing-operations.js';
import { readSigning, type NamedVenue } from './read-signing.js';

/** What `GET /v1/requests/{request_id}` answered is no record, or of a request that does not wait. */
export class UnreadableRecordError extends Error {}

/** Everything but what is marked is computed from the signed bytes, on this machine. */
export interface ShownRequest {
  readonly request_id: string;
  /** Undefined for a path that this release does not know. */
  readonly operation: string | undefined;
  readonly asked_by_user: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** JSON where it is JSON; otherwise base64. */
  readonly body: unknown;
  /** Of a signature: what rules look at, read from the bytes above. */
  readonly reads_as?: Readonly<globalThis.Record<string, unknown>>;
  /** Hex: what to approve. It covers requester, method, path, query and body. */
  readonly digest: string;
  /** What the record says otherwise than this: then it is not what was asked for. Empty where it is. */
  readonly record_differs_in: readonly ('digest' | 'request_id' | 'operation' | 'venue_id')[];
  /** No signature covers it. An approval under other rules than those that decide comes to nothing. */
  readonly said_by_the_gateway_not_verified: {
    readonly because_of: NonNullable<Record['asked_by']>;
    readonly venue_id?: string;
  };
}

type Record = ReturnType<typeof requestRecord.parse>;

function whyNothingIsShown({ status }: Record): string {
  return status === 'processing'
    ? 'the vault does not say yet what this request asks for: try again in a moment'
    : 'the request does not wait any more';
}

/** `venueId`: where the key is good, if the approver knows and the record does not prove it. Throws UnreadableRecordError. */
export function showRequest(json: string, venueId?: string): ShownRequest {
  const record = readRecord(json);
  const { content, created_by: requester, facts } = record;
  if (content === undefined) throw new UnreadableRecordError(whyNothingIsShown(record));
  const { method, path, query } = content;
  const body = Buffer.from(content.body, 'base64');
  const transcript = Buffer.from(content.transcript, 'hex');
  const call = { transcript, requester, method, path, query, body };
  const venue = nameVenue(record, path, venueId);
  const readsAs = readSigning(call, venue);
  const computed = {
    request_id: requestIdOf(transcript),
    operation: (findSigningOperation(method, path) ?? findLedgerOperation(method, path))?.operation
      .id,
    digest: toHex(approvalDigest(call)),
  };
  return {
    ...computed,
    asked_by_user: requester,
    method,
    path,
    query,
    body: readBody(body),
    ...(readsAs !== undefined && { reads_as: readsAs }),
    record_differs_in: differences(record, computed, venue),
    said_by_the_gateway_not_verified: {
      because_of: record.asked_by ?? [],
      ...(venue.by !== 'ledger' && facts?.venue_id !== undefined && { venue_id: facts.venue_id }),
    },
  };
}

interface CheckedVenue extends NamedVenue {
  /** Whether nobody names another one, nor proves it with an entry that did not make the key. */
  readonly isUndisputed: boolean;
}

/** By the entry that made the key, where the record has it; otherwise by the approver, or else by the gateway. */
function nameVenue(
  { facts, key_entry: entry }: Record,
  path: string,
  byApprover: string | undefined,
): CheckedVenue {
  const [, keyId = ''] = KEY_SIGNS.exec(path) ?? [];
  const byGateway = facts?.venue_id;
  const proven = entry === undefined ? undefined : venueOfKey(keyId, entry);
  if (proven !== undefined) {
    const id = proven ?? undefined;
    const said = [byApprover, byGateway].filter((one) => one !== undefined);
    return { id, by: 'ledger', isUndisputed: said.every((one) => one === id) };
  }
  const isSame = byApprover === undefined || byGateway === byApprover;
  const isUndisputed = entry === undefined && isSame;
  return byApprover === undefined
    ? { id: byGateway, by: 'gateway', isUndisputed }
    : { id: byApprover, by: 'approver', isUndisputed };
}

const KEY_SIGNS = /^\/v1\/keys\/([^/]+)\/(?:raw-)?sign$/;

function differences(
  { request_id: id, operation, digest }: Record,
  computed: Pick<ShownRequest, 'request_id' | 'operation' | 'digest'>,
  { isUndisputed }: CheckedVenue,
): ShownRequest['record_differs_in'] {
  const isSame = {
    digest: digest === computed.digest,
    request_id: id === computed.request_id,
    operation: operation === computed.operation,
    venue_id: isUndisputed,
  };
  const names = ['digest', 'request_id', 'operation', 'venue_id'] as const;
  return names.filter((name) => !isSame[name]);
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
