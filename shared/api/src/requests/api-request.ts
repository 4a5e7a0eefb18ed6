/**
 * A caller's request as data: the part of an operation that decides what is accepted. Entries of the ledger are read
 * by it alone. `operation.ts`, which no fold reaches, adds what describes it (texts, examples, answers).
 */
import * as s from '@countersign/core/shapes.js';
import type {
  ApiRequest,
  MethodOf,
  OperationAction,
  PathOf,
  Target,
  WrittenRequest,
} from './request-types.js';

export type * from './request-types.js';

/** No query parameters, or no body fields. */
export const nothing = s.strictObject({});

export const EMPTY_QUERY = { query: nothing };
export const EMPTY_BODY = { body: nothing, bodyOptional: true };

/** Keeps the literal and schema types of a request, from which calls are typed. */
export function apiRequest<
  Id extends string,
  To extends Target,
  Action extends OperationAction,
  Query extends s.AnyShape = typeof nothing,
  Body extends s.AnyShape = typeof nothing,
>(
  id: Id,
  target: To,
  action: Action,
  written: WrittenRequest<Query, Body> = {},
): ApiRequest<Id, MethodOf<To>, PathOf<To>, Action, Query, Body> {
  const [method, path] = target.split(' ');
  const empty = { ...EMPTY_QUERY, ...(written.body === undefined && EMPTY_BODY) };
  return { id, method, path, action, ...empty, ...written } as unknown as ReturnType<
    typeof apiRequest<Id, To, Action, Query, Body>
  >;
}

/** The requests that make, change and remove a resource. Their ids end in `what`; `{name}` is its id in paths. */
export function resourceRequests<
  What extends string,
  Path extends string,
  Name extends string,
  Action extends OperationAction,
  Create extends s.AnyShape,
  Update extends s.AnyShape,
>(
  what: What,
  one: `/${Path}/{${Name}}`,
  action: Action,
  bodies: { readonly create: Create; readonly update: Update },
) {
  const all = one.slice(0, one.lastIndexOf('/')) as `/${Path}`;
  return [
    apiRequest(`create-${what}`, `POST ${all}`, action, { body: bodies.create }),
    apiRequest(`update-${what}`, `PUT ${one}`, action, { body: bodies.update }),
    apiRequest(`delete-${what}`, `DELETE ${one}`, action),
  ] as const;
}
