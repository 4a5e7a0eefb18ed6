/**
 * An operation of the API as data: enough to describe it, to call it and to route to it. Its implementers add what it
 * does.
 */
import type * as s from '@countersign/core/shapes.js';
import {
  EMPTY_BODY,
  EMPTY_QUERY,
  type ApiRequest,
  type HttpMethod,
  type nothing,
  type OperationAction,
  type RequestHead,
  type WrittenRequest,
} from './requests/api-request.js';
import { parametersOf, type PathParameter } from './path-parameters.js';
import type { RequestTexts } from './request-texts.js';

/** `signed`: all four headers. `credential`: the `authorization` header alone. */
export type Authentication = 'signed' | 'credential' | 'none';

/** `user_id` of `/v1/users/{user_id}`. */
type PathParameterName<Path extends string> = string extends Path
  ? string
  : Path extends `${string}{${infer Name}}${infer Rest}`
    ? Name | PathParameterName<Rest>
    : never;

type PathParameters<Path extends string> = Readonly<Record<PathParameterName<Path>, PathParameter>>;

export interface OperationExample<
  Query extends s.AnyShape,
  Body extends s.AnyShape,
  Response extends s.AnyShape,
> {
  /** The parameters in the query string, decoded. */
  readonly query?: s.InputOf<Query>;
  readonly body?: s.InputOf<Body>;
  /** The body of the answer 200. */
  readonly response: s.InputOf<Response>;
}

/** The description of a request. */
interface OperationFacts {
  /** The resource or act that it belongs to. */
  readonly tag: string;
  /** A few words. */
  readonly summary: string;
  /** What it does, what it needs, and what may refuse it. */
  readonly description: string;
  readonly authentication: Authentication;
  /** Other statuses with the body of the answer 200. */
  readonly alsoAnswers?: readonly number[];
  /** Whether it may answer 202: the request is recorded and goes on, see `GET /v1/requests/{request_id}`. */
  readonly isAsync?: boolean;
  /** Whether the answer holds a secret that may be shown once. */
  readonly hasSecret?: boolean;
  /** For an answer that is no JSON value of the API: the content of each media type. */
  readonly content?: Readonly<Record<string, string>>;
  /** Texts of the fields of a request whose shapes have none themselves. */
  readonly texts?: RequestTexts;
}

export interface ApiOperation<
  Id extends string = string,
  Method extends HttpMethod = HttpMethod,
  Path extends string = string,
  Action extends OperationAction = OperationAction,
  Query extends s.AnyShape = s.AnyShape,
  Body extends s.AnyShape = s.AnyShape,
  Response extends s.AnyShape = s.AnyShape,
>
  extends ApiRequest<Id, Method, Path, Action, Query, Body>, OperationFacts {
  readonly params: PathParameters<Path>;
  /** Body of the answer 200. */
  readonly response: Response;
  readonly example: OperationExample<Query, Body, Response>;
}

/** Body of a request, as it is sent. */
export type OperationBody<Op extends ApiOperation> = s.InputOf<Op['body']>;

/** Query of a request: its parameters as text, decoded. */
export type OperationQuery<Op extends ApiOperation> = s.InputOf<Op['query']>;

/** Body of the answer 200. */
export type OperationResponse<Op extends ApiOperation> = s.InputOf<Op['response']>;

/** Values for the path's parameters. */
export type OperationParams<Op extends ApiOperation> = Readonly<
  Record<PathParameterName<Op['path']>, string>
>;

/** A change: signed, recorded in the ledger, and complete when every node has folded it. */
export const WRITE = { authentication: 'signed', isAsync: true } as const;

/** An answer from what the vault knows, to those who may look at it unless it names another right. */
export const READ = {
  authentication: 'credential',
  method: 'GET',
  action: 'view_system_resources',
} as const;

/** Operations that anybody may call. */
export const OPEN = { authentication: 'none', method: 'GET', action: 'none' } as const;

/** Keeps the literal and schema types of a description, from which calls are typed. */
export function apiOperation<
  Id extends string,
  Method extends HttpMethod,
  Path extends string,
  Action extends OperationAction,
  Response extends s.AnyShape,
  Query extends s.AnyShape = typeof nothing,
  Body extends s.AnyShape = typeof nothing,
>(
  operation: RequestHead<Id, Method, Path, Action> &
    OperationFacts &
    WrittenRequest<Query, Body> & {
      readonly response: Response;
      readonly example: NoInfer<OperationExample<Query, Body, Response>>;
    },
): ApiOperation<Id, Method, Path, Action, Query, Body, Response> {
  const defaults = {
    params: parametersOf(operation.path),
    ...EMPTY_QUERY,
    ...(operation.body === undefined && EMPTY_BODY),
  };
  return { ...defaults, ...operation } as unknown as ApiOperation<
    Id,
    Method,
    Path,
    Action,
    Query,
    Body,
    Response
  >;
}

/** Each operation under its id. */
export type OperationsById<Op extends ApiOperation> = {
  readonly [Each in Op as Each['id']]: Each;
};

export function operationsById<const Ops extends readonly ApiOperation[]>(
  operations: Ops,
): OperationsById<Ops[number]> {
  return Object.fromEntries(
    operations.map((operation) => [operation.id, operation]),
  ) as unknown as OperationsById<Ops[number]>;
}
