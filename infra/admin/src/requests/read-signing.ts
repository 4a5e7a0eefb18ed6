/**
 * What a request for a signature says, read from its signed bytes alone, with this release's tables: so that an approver
 * need not believe the gateway's reading of it. At which venue a key is good follows from its id and the ledger entry that made
 * it. Where the record does not have that entry, an approver who knows the venue names it; otherwise the gateway's word for it
 * is shown as that, and the reading is of a request to that venue.
 */
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import { sha256 } from '@countersign/core/hash.js';
import { parseInput } from '@countersign/vault/operations/operation-input.js';
import { readMovements } from '@countersign/vault/operations/sign.js';
import { findSigningOperation } from '@countersign/vault/operations/signing-operations.js';
import {
  transactionFactsView,
  venueFactsView,
} from '@countersign/vault/views/content-facts-view.js';
import type { VenueRequest } from '@countersign/venues/engine/venue.js';
import { readVenueRequest } from '@countersign/venues/read-venue-request.js';

/** What an approval is for, of a record. */
interface SignedContent {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: Uint8Array;
}

type Reading = Readonly<Record<string, unknown>>;

/** At which venue the key is good, and who says so. */
export interface NamedVenue {
  readonly id: string | undefined;
  readonly by: 'ledger' | 'approver' | 'gateway';
}

/** Undefined for a request that asks for no signature. */
export function readSigning(
  { method, path, query, body }: SignedContent,
  venue: NamedVenue,
): Reading | undefined {
  const matched = findSigningOperation(method, path);
  if (matched === undefined) return undefined;
  const { operation, params } = matched;
  const input = parseInput(operation, { params, query, body });
  return isRefusal(input) ? unreadable(input) : readBody(input.body, venue);
}

function readBody(body: unknown, venue: NamedVenue): Reading {
  if (isRecord(body) && 'venue_request' in body) {
    return readOrder(body['venue_request'] as VenueRequest, venue);
  }
  const { network_id: networkId, transaction, message } = body as Readonly<Record<string, unknown>>;
  if (message instanceof Uint8Array) {
    return { message_sha256: sha256(message).toString('hex'), message_bytes: message.length };
  }
  const movements = readMovements(String(networkId), transaction as Uint8Array);
  return isRefusal(movements)
    ? unreadable(movements)
    : { network_id: networkId, ...transactionFactsView(movements) };
}

function readOrder(request: VenueRequest, { id, by }: NamedVenue): Reading {
  const reading = readVenueRequest(id, request);
  if (isRefusal(reading)) return unreadable(reading);
  const { facts, orders, others } = reading;
  const named = by === 'gateway' ? 'venue_said_by_the_gateway_not_verified' : 'venue';
  return {
    [named]: facts.venueId,
    ...venueFactsView(facts),
    orders,
    other_parameters: others,
    signature_at_the_venue_covers: facts.binds,
  };
}

function unreadable({ message }: Refusal): Reading {
  return { unreadable: message };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
