/** A caller's request as data, see `api-request.ts`. */
import type * as s from '@countersign/core/shapes.js';
import type { AdminPolicyType } from './admin-policy-types.js';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface RequestTarget {
  readonly method: HttpMethod;
  /** Template, e.g. `/v1/users/{user_id}`. */
  readonly path: string;
}

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

/** Method and template of a request, e.g. `PUT /v1/users/{user_id}`. */
export type Target = `${HttpMethod} /${string}`;

export type MethodOf<T extends Target> = T extends `${infer Method extends HttpMethod} ${string}`
  ? Method
  : never;

export type PathOf<T extends Target> = T extends `${HttpMethod} ${infer Path}` ? Path : never;
