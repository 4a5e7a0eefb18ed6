/**
 * Requests for several signatures. A batch is read once; from then on each of its items is a request of the operation
 * for a single one.
 */
import {
  rawSignBatchOperation,
  signBatchOperation,
  signBatchWithKeyOperation,
} from '@countersign/api/operations/signing.js';
import type { ApiOperation } from '@countersign/api/operation.js';
import type { HttpMethod } from '@countersign/api/requests/api-request.js';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import type { Evidence } from '@countersign/core/evidence.js';
import type * as s from '@countersign/core/shapes.js';
import { matchPath, parseInput, type Input } from './operation-input.js';
import { rawSignWithWallet } from './raw-sign.js';
import { sign } from './sign.js';
import type { MatchedSigning, SigningOperation } from './signing-operation.js';
import { venueSign } from './venue-sign.js';

/** A kind of request for several signatures of one kind, under one key. */
export interface SigningBatch<Body extends s.AnyShape = s.AnyShape> extends ApiOperation<
  string,
  HttpMethod,
  string,
  'signing_policy',
  s.AnyShape,
  Body
> {
  /** What each item is a request of. */
  readonly one: SigningOperation;
  /** The bodies that requests for the single items would have, as `one` reads them. */
  itemsOf(body: s.OutputOf<Body>): readonly unknown[];
}

function signingBatch<Body extends s.AnyShape>(definition: SigningBatch<Body>): SigningBatch {
  return definition as unknown as SigningBatch;
}

export const SIGNING_BATCHES: readonly SigningBatch[] = [
  signingBatch({
    ...signBatchOperation,
    one: sign,
    itemsOf: ({ network_id, transactions }) =>
      transactions.map((transaction) => ({ network_id, transaction })),
  }),
  signingBatch({
    ...rawSignBatchOperation,
    one: rawSignWithWallet,
    itemsOf: ({ messages, scheme, output_encoding }) =>
      messages.map((message) => ({ message, scheme, output_encoding })),
  }),
  signingBatch({
    ...signBatchWithKeyOperation,
    one: venueSign,
    itemsOf: ({ venue_requests }) => venue_requests.map((venue_request) => ({ venue_request })),
  }),
];

/** A batch, with the values that the path gives for its parameters. */
export interface MatchedBatch {
  readonly batch: SigningBatch;
  readonly params: Readonly<Record<string, string>>;
}

/** The batch with this method whose template fits the path; undefined for none. */
export function findSigningBatch(method: string, path: string): MatchedBatch | undefined {
  for (const batch of SIGNING_BATCHES) {
    if (batch.method !== method) continue;
    const params = matchPath(batch.path, path);
    if (params !== undefined) return { batch, params };
  }
  return undefined;
}

export interface ReadBatch {
  readonly batch: SigningBatch;
  /** In the order of the request. */
  readonly items: readonly MatchedSigning[];
  /** Whether a denial of one item denies all. */
  readonly isAllOrNone: boolean;
}

type SignedContent = Pick<Evidence, 'method' | 'path' | 'query' | 'body'>;

/** Reads a batch whole, or says why it is none. Undefined for what is no batch at all. */
export function readBatch(evidence: SignedContent): ReadBatch | Refusal | undefined {
  const matched = findSigningBatch(evidence.method, evidence.path);
  if (matched === undefined) return undefined;
  const { batch, params } = matched;
  const { query, body } = evidence;
  const input: Input<unknown, unknown> | Refusal = parseInput(batch, { params, query, body });
  if (isRefusal(input)) return input;
  const items = batch.itemsOf(input.body).map((item) => ({
    operation: batch.one,
    params,
    input: { ...input, body: item },
  }));
  const { all_or_none: isAllOrNone } = input.body as { readonly all_or_none?: boolean };
  return { batch, items, isAllOrNone: isAllOrNone === true };
}
