/**
 * An operation is one method and path of the API: its description with what it does. The same definition
 * checks the request in the gateway and folds it in every node.
 */
import type { z } from 'zod';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import { sha256, uuidFromHash } from '@countersign/core/hash.js';
import type { ApiOperation, HttpMethod } from '@countersign/api/operation.js';
import { parseQuery } from '@countersign/api/query-string.js';
import { validate } from '@countersign/api/validate.js';
import type { User, VaultState } from '../state/state.js';
import type { AdminPolicyType } from '@countersign/api/admin-policy-types.js';
import { parseStrictJson } from '@countersign/core/strict-json.js';

/** What an accepted entry was about: the audit log's filters and a request record's result. */
export interface Subject {
  readonly resourceType: string;
  readonly resourceIds: readonly string[];
  readonly userIds?: readonly string[] | undefined;
  readonly vaultIds?: readonly string[] | undefined;
  readonly keyIds?: readonly string[] | undefined;
  readonly walletAddresses?: readonly string[] | undefined;
}

export interface Input<Query, Body> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
}

export interface ApplyContext {
  /** Time of the entry, ms. */
  readonly at: number;
  readonly actor: User;
  /** A new id: derived from the entry's hash, the same on every node. */
  newId(name: string): string;
  /** A secret that only holders of the evidence key can derive again from the same entry. */
  secret(label: string): Buffer;
}

export interface Applied {
  readonly state: VaultState;
  readonly subject: Subject;
}

/** Reads the entry's outcome back as the API's answer. */
export interface AnswerContext {
  secret(label: string): Buffer;
}

/** A change of governance: recorded in the ledger as evidence and folded by every node. */
export interface LedgerOperation<
  QuerySchema extends z.ZodType = z.ZodType,
  BodySchema extends z.ZodType = z.ZodType,
> extends ApiOperation<string, HttpMethod, string, AdminPolicyType, QuerySchema, BodySchema> {
  /** The vaults this act is confined to; absent or empty: none. */
  vaultIds?(
    state: VaultState,
    input: Input<z.output<QuerySchema>, z.output<BodySchema>>,
  ): readonly string[];
  apply(
    state: VaultState,
    input: Input<z.output<QuerySchema>, z.output<BodySchema>>,
    context: ApplyContext,
  ): Applied | Refusal;
  /** Whether the effect is still under way, e.g. a key that the parties are generating. */
  isPending?(state: VaultState, subject: Subject): boolean;
  /** Why the effect never came about after all, e.g. a key whose parts do not fit. */
  findFailure?(state: VaultState, subject: Subject): Refusal | undefined;
  answer(state: VaultState, subject: Subject, context: AnswerContext): unknown;
  /** Allowed while the whole system is frozen. */
  readonly duringSystemFreeze?: boolean;
  /** Could take away the last way to change policies. */
  readonly affectsAdministrators?: boolean;
}

/** Keeps the schemas' types together with the functions that use them. */
export function ledgerOperation<Query extends z.ZodType, Body extends z.ZodType>(
  definition: LedgerOperation<Query, Body>,
): LedgerOperation {
  return definition as unknown as LedgerOperation;
}

/** A uuid from the entry's hash and a name that is unique within the entry. */
export function deriveId(entryHash: Uint8Array, name: string): string {
  return uuidFromHash(sha256('countersign id v1', entryHash, name));
}

/** Path parameters, or undefined when the path is another one. Segments are compared as they stand. */
export function matchPath(template: string, path: string): Record<string, string> | undefined {
  const expected = template.split('/');
  const actual = path.split('/');
  if (expected.length !== actual.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of expected.entries()) {
    const value = actual[index]!;
    if (part.startsWith('{')) {
      if (value === '') return undefined;
      params[part.slice(1, -1)] = value;
    } else if (part !== value) return undefined;
  }
  return params;
}

export interface RawInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: string;
  readonly body: Uint8Array;
}

/** Query and body checked against the operation's schemas. */
export function parseInput<Query extends z.ZodType, Body extends z.ZodType>(
  operation: { query: Query; body: Body; bodyOptional?: boolean },
  raw: RawInput,
): Input<z.output<Query>, z.output<Body>> | Refusal {
  const query = parseQuery(operation.query, raw.query);
  if (isRefusal(query)) return query;
  const json = parseBody(raw.body, operation.bodyOptional === true);
  if (isRefusal(json)) return json;
  const body = validate(operation.body, json.value);
  if (isRefusal(body)) return body;
  return { params: raw.params, query, body };
}

function parseBody(body: Uint8Array, optional: boolean): { value: unknown } | Refusal {
  if (body.length === 0 && optional) return { value: {} };
  const json = parseStrictJson(body);
  if (isRefusal(json)) return json;
  if (typeof json.value !== 'object' || json.value === null || Array.isArray(json.value)) {
    return refuse('parse_error', 'the body must be a JSON object');
  }
  return json;
}
