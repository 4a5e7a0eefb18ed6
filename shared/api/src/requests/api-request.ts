/**
 * A caller's request as data: the part of an operation that decides what is accepted. Entries of the ledger are read
 * by it alone. `operation.ts`, which no fold reaches, adds what describes it (texts, examples, answers).
 */
import * as s from '@countersign/core/shapes.js';
import type { AdminPolicyType } from './admin-policy-types.js';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface RequestTarget {
  readonly method: HttpMethod;
  /** Template, e.g. `/v1/users/{user_id}`. */
  readonly path: string;
}

/** No query parameters, or no body fields. */
export const nothing = s.strictObject({});

/**
 * The right that a caller needs. `self`: none beyond being known. `signing_policy`: the first rule that fits in the
 * signing policies of the key or wallet. `none`: nobody is asked who they are.
 */
export type OperationAction = AdminPolicyType | 'self' | 'signing_policy' | 'none';

export interface RequestHead<
  Id extends string,
  Method extends HttpMethod,
  Path extends string,
  Action extends OperationAction,
> extends RequestTarget {
  readonly id: Id;
  readonly method: Method;
  readonly path: Path;
  readonly action: Action;
}

export interface ApiRequest<
  Id extends string = string,
  Method extends HttpMethod = HttpMethod,
  Path extends string = string,
  Action extends OperationAction = OperationAction,
  Query extends s.AnyShape = s.AnyShape,
  Body extends s.AnyShape = s.AnyShape,
> extends RequestHead<Id, Method, Path, Action> {
  readonly query: Query;
  readonly body: Body;
  /** A request without a body is read as `{}`. */
  readonly bodyOptional?: boolean;
}

/** In the written form: empty parts are left out. */
export interface WrittenRequest<Query, Body> {
  readonly query?: Query;
  readonly body?: Body;
  readonly bodyOptional?: boolean;
}

export const EMPTY_QUERY = { query: nothing };
export const EMPTY_BODY = { body: nothing, bodyOptional: true };

/** Keeps the literal and schema types of a request, from which calls are typed. */
export function apiRequest<
  Id extends string,
  Method extends HttpMethod,
  Path extends string,
  Action extends OperationAction,
  Query extends s.AnyShape = typeof nothing,
  Body extends s.AnyShape = typeof nothing,
>(
  request: RequestHead<Id, Method, Path, Action> & WrittenRequest<Query, Body>,
): ApiRequest<Id, Method, Path, Action, Query, Body> {
  return {
    ...EMPTY_QUERY,
    ...(request.body === undefined && EMPTY_BODY),
    ...request,
  } as unknown as ApiRequest<Id, Method, Path, Action, Query, Body>;
}

/** The requests that make, change and remove a resource. Their ids end in `what`; paths have its id as `name`. */
export function resourceRequests<
  What extends string,
  Path extends string,
  Name extends string,
  Action extends OperationAction,
  Create extends s.AnyShape,
  Update extends s.AnyShape,
>(
  { what, path, name, action }: { what: What; path: Path; name: Name; action: Action },
  bodies: { readonly create: Create; readonly update: Update },
) {
  const one = `${path}/{${name}}` as const;
  return [
    apiRequest({ id: `create-${what}`, method: 'POST', path, action, body: bodies.create }),
    apiRequest({ id: `update-${what}`, method: 'PUT', path: one, action, body: bodies.update }),
    apiRequest({ id: `delete-${what}`, method: 'DELETE', path: one, action }),
  ] as const;
}
