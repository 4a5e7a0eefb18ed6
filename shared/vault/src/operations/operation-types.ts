/**
 * An operation of the ledger is one method and path of the API: its request, and its effect. The same definition
 * checks the request in the gateway and folds it in every node.
 */
import type * as s from '@countersign/core/shapes.js';
import type { Refusal } from '@countersign/core/errors.js';
import type { ApiRequest, HttpMethod } from '@countersign/api/requests/api-request.js';
import type { PendingSubject, User, VaultState } from '../state/state.js';
import type { AdminPolicyType } from '@countersign/api/requests/admin-policy-types.js';

/** What an accepted entry was about: the audit log's filters and a request record's result. */
export type Subject = PendingSubject;

/**
 * Inputs of an operation beside state and request. All of them follow from the entry, so every node reaches the same
 * result.
 */
export interface ApplyContext {
  /** Time of the entry, ms. */
  readonly at: number;
  readonly actor: User;
  /** The hash of the entry itself. */
  readonly entryHash: Uint8Array;
  /** A new id, derived from the entry's hash: the same on every node. */
  newId(name: string): string;
  /** A secret that only holders of the evidence key can derive again from the same entry. */
  secret(label: string): Buffer;
}

/** The result of an accepted operation. */
export interface Applied {
  readonly state: VaultState;
  readonly subject: Subject;
}

/** A change of governance: recorded in the ledger as evidence and folded by every node. */
export interface LedgerOperation<
  Query extends s.AnyShape = s.AnyShape,
  Body extends s.AnyShape = s.AnyShape,
> extends ApiRequest<string, HttpMethod, string, AdminPolicyType | 'self', Query, Body> {
  /** The vaults this act is confined to; absent or empty: none. */
  vaultIds?(
    state: VaultState,
    input: Input<s.OutputOf<Query>, s.OutputOf<Body>>,
  ): readonly string[];
  /** A right that the caller needs beside `action` because `apply` asks for it; its approvals are needed too. */
  alsoNeeds?(
    state: VaultState,
    input: Input<s.OutputOf<Query>, s.OutputOf<Body>>,
  ): readonly AdminPolicyType[];
  /** The meaning of the entry, the same in every release that judges it. It is given no catalogue. */
  apply(
    state: VaultState,
    input: Input<s.OutputOf<Query>, s.OutputOf<Body>>,
    context: ApplyContext,
  ): Applied | Refusal;
  /** Whether it is allowed while the whole system is frozen. */
  readonly duringSystemFreeze?: boolean;
  /** Whether it gives nobody anything: no policy's delay holds it up. */
  readonly onlyTakesAway?: boolean;
  /** Whether it could take away the last way to change policies. */
  readonly affectsAdministrators?: boolean;
}

/** A request as its operation sees it. */
export interface Input<Query, Body> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
}

/** A request as on the wire: query without `?`, body bytes, path parameters not decoded. */
export interface RawInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: string;
  readonly body: Uint8Array;
}
