/** What is sent for an operation: typed by, and made from, its description in the contract. */
import {
  type ApiOperation,
  type OperationBody,
  type OperationParams,
  type OperationQuery,
} from '@countersign/api/operation.js';
import { API_OPERATIONS, type OperationId } from '@countersign/api/operations/api-operations.js';
import type { ClientRequest } from './raw-client.js';

type OperationOf<Id extends OperationId> = (typeof API_OPERATIONS)[Id];

/** Whatever may be read into it: a caller's constants are welcome. */
type Given<Value> = Value extends readonly (infer Item)[]
  ? readonly Given<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Given<Value[Name]> }
    : Value;

/** May be left out when nothing in it is required. */
type Part<Name extends string, Value> = {} extends Value
  ? { readonly [Key in Name]?: Given<Value> }
  : { readonly [Key in Name]: Given<Value> };

type PathPart<Params> = [keyof Params] extends [never] ? unknown : { readonly params: Params };

/** `params`: of the path, decoded. `query`: text, decoded. `body`: before it is JSON. */
export type OperationInput<Id extends OperationId> = PathPart<OperationParams<OperationOf<Id>>> &
  Part<'query', OperationQuery<OperationOf<Id>>> &
  Part<'body', OperationBody<OperationOf<Id>>>;

/** The same, of whichever operation. */
export interface AnyInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

/** Throws RangeError when there is no such operation, or a part of its path is missing or none. */
export function operationRequest(
  id: OperationId,
  { params = {}, query = {}, body }: AnyInput,
): ClientRequest {
  const operation = findOperation(id);
  const isEmpty = body === undefined && (operation.bodyOptional ?? false);
  return {
    method: operation.method,
    target: targetOf(operation, params) + queryOf(query),
    authentication: operation.authentication,
    ...(!isEmpty && operation.method !== 'GET' && { body: body ?? {} }),
  };
}

export function findOperation(id: OperationId): ApiOperation {
  if (!Object.hasOwn(API_OPERATIONS, id)) throw new RangeError(`there is no operation ${id}`);
  return API_OPERATIONS[id] as ApiOperation;
}

function targetOf({ path }: ApiOperation, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    // `.` and `..` would name another resource
    if (value === undefined || /^\.{0,2}$/.test(value)) {
      throw new RangeError(`${name} is missing in the path`);
    }
    return encodeURIComponent(value);
  });
}

function queryOf(query: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
