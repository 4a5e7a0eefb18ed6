/**
 * Requests that wait: for approvals, then for their time. Each is done by its requester, whose standing and right are
 * looked at again, with the ids and secrets that its own entry gives.
 */
import { deny } from '@countersign/core/denials.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import { evidenceKeyIdOf, type EvidenceKeys } from '@countersign/core/evidence-key.js';
import type { OpenedRequest } from '../authentication/opened-request.js';
import type { Subject } from '../operations/ledger-operation.js';
import { findLedgerOperation } from '../operations/ledger-operations.js';
import { areApproved, demandsOn, findRequester } from '../policy/approvals.js';
import type { Demand } from '../policy/admin-policy.js';
import {
  isWithdrawnEvidenceKey,
  type HeldRequest,
  type User,
  type VaultState,
} from '../state/state.js';
import { insertRow, replaceRow } from '../state/table.js';
import { closed, openRequests } from '../operations/held-state.js';
import type { DecidedRequest } from './entry-outcome.js';
import { holdSigning, isSigning, release } from './held-signing.js';
import { newRow, refuseTooMuch, withoutExpired } from './waiting-rows.js';
import type { Settlement } from './judging.js';
import type { LoggedRequest } from './logged-entry.js';
import { performAct, type Act, type Performed } from './perform-act.js';
import { refuseOverreach } from './rules-version-2.js';
import { refuseUnguarded } from './third-guards.js';

/** Without approvals nothing expires: what only waits for its time has it well before. */
const MAX_EXPIRY_MS = 30 * 24 * 3_600_000;

type Derive = EvidenceKeys['derive'];

/** Does what may be done at once, and has the rest wait. */
export function performGoverned(
  state: VaultState,
  act: Act,
  opened: OpenedRequest,
  request: LoggedRequest,
): Performed | Refusal {
  if (isSigning(act.operation)) return holdSigning(state, act, opened, request);
  const performed = performGuarded(state, act);
  if (isRefusal(performed)) return performed;
  if (isHeldUp(act, performed.demands)) return hold(state, act, performed, opened, request);
  return performed.subject.resourceType === 'request'
    ? goOn(performed, act.at, request.derive)
    : performed;
}

/** As if nothing had to come first. */
function performGuarded(state: VaultState, act: Act): Performed | Refusal {
  const performed = performAct(state, act);
  if (isRefusal(performed)) return performed;
  const { state: after, subject } = performed;
  return refuseUnguarded(state, after, { actorId: act.actor.id, subject }) ?? performed;
}

function isHeldUp({ operation }: Pick<Act, 'operation'>, demands: readonly Demand[]): boolean {
  return (
    demands.some(({ approvals }) => approvals !== undefined) || delayOf(operation, demands) > 0
  );
}

function delayOf({ onlyTakesAway }: Act['operation'], demands: readonly Demand[]): number {
  return onlyTakesAway === true ? 0 : Math.max(0, ...demands.map(({ delayMs }) => delayMs));
}

function hold(
  state: VaultState,
  act: Act,
  performed: Performed,
  opened: OpenedRequest,
  request: LoggedRequest,
): Performed | Refusal {
  const { actor, at } = act;
  // what would be refused if it were done now does not wait
  const overreach = refuseOverreach(state, performed.state, {
    actorId: actor.id,
    subject: performed.subject,
  });
  if (overreach !== undefined) return overreach;
  const row = heldRow(act, performed, opened, request);
  const cleared = withoutExpired(state, at);
  const tooMuch = refuseTooMuch(cleared, row);
  if (tooMuch !== undefined) return tooMuch;
  const held = { ...cleared, heldRequests: insertRow(cleared.heldRequests, row) };
  const { vaultIds } = performed;
  const subject = { resourceType: 'request', resourceIds: [row.id], vaultIds };
  return goOn({ ...performed, state: held, subject }, at, request.derive);
}

function heldRow(
  act: Act,
  { demands, actions, vaultIds }: Performed,
  opened: OpenedRequest,
  request: LoggedRequest,
): HeldRequest {
  const asked = demands.flatMap(({ approvals }) => approvals ?? []);
  return {
    ...newRow(act, opened, request),
    actions,
    vaultIds,
    askedBy: demands.map(({ policy, approvals }) => ({
      policyId: policy.id,
      version: policy.version,
      quorum: approvals?.quorum ?? 0,
    })),
    expiresAt: act.at + Math.min(...asked.map(({ expiresInMs }) => expiresInMs), MAX_EXPIRY_MS),
  };
}

/** After something was done to a request that waits: does it if nothing is missing any more. */
function goOn(performed: Performed, at: number, derive: Derive): Performed | Refusal {
  const row = performed.state.heldRequests.rows.get(performed.subject.resourceIds[0] ?? '');
  if (row?.status !== 'waiting') return performed;
  if (row.signing !== undefined) return release(performed, { ...row, signing: row.signing }, at);
  const { state } = performed;
  const requester = findRequester(state, row, at);
  if (isRefusal(requester)) return requester;
  const demands = demandsOn(state, row, requester);
  if (isRefusal(demands)) return demands;
  if (!areApproved(state, demands, row, at)) return performed;
  const operation = operationOf(row);
  const delay = operation === undefined ? 0 : delayOf(operation, demands);
  if (delay > 0) {
    const delayed = { ...row, status: 'delayed', dueAt: at + delay } as const;
    return { ...performed, state: withRow(state, delayed) };
  }
  const isFrozen = state.systemFreeze !== null && operation?.duringSystemFreeze !== true;
  if (isFrozen) return deny('frozen', 'system');
  const done = carryOut(state, row, { at, derive });
  return { ...performed, ...done };
}

/**
 * Does what came due, in the order in which it did, and lets go of what came too late. What a freeze of the system stops
 * goes on waiting.
 */
export function settleDue(state: VaultState, at: number, derive: Derive): Settlement | undefined {
  const due = openRequests(state)
    .filter((row) => row.dueAt !== null && row.dueAt <= at && !isStopped(state, row))
    .toSorted((a, b) => a.dueAt! - b.dueAt! || (a.id < b.id ? -1 : 1));
  const cleared = withoutExpired(state, at);
  const ended = openRequests(state).filter(({ id }) => !isOpen(cleared, id));
  if (due.length === 0 && ended.length === 0) return undefined;
  const decided: DecidedRequest[] = [];
  const settled = due.reduce((now, row) => {
    const done = carryOut(now, row, { at, derive });
    decided.push(...done.decided);
    return done.state;
  }, cleared);
  return { state: settled, decided, ended: ended.map(({ id }) => id) };
}

function isOpen({ heldRequests }: VaultState, id: string): boolean {
  return heldRequests.indexes.open.has(id);
}

function isStopped({ systemFreeze }: VaultState, row: HeldRequest): boolean {
  return systemFreeze !== null && operationOf(row)?.duringSystemFreeze !== true;
}

/** What it comes to: done, or failed for a reason that is written down. It ends here either way. */
function carryOut(
  state: VaultState,
  row: HeldRequest,
  { at, derive }: { readonly at: number; readonly derive: Derive },
): Settlement {
  const performed = performHeld(state, row, at, derive);
  const operation = operationOf(row);
  const [endedAt, endedBy] = [at, null];
  const decide = (subject: DecidedRequest['subject']): DecidedRequest[] =>
    operation === undefined
      ? []
      : [{ requestId: row.id, operation, actorId: row.createdBy, subject }];
  if (isRefusal(performed)) {
    const { message: reason, refused: failure } = performed;
    const end = { status: 'failed', endedAt, endedBy, reason, failure } as const;
    return { state: closed(state, row, end), decided: decide(undefined) };
  }
  const { subject } = performed;
  const end = { status: 'applied', endedAt, endedBy, subject } as const;
  return { state: closed(performed.state, row, end), decided: decide(subject) };
}

function performHeld(
  state: VaultState,
  row: HeldRequest,
  at: number,
  derive: Derive,
): Performed | Refusal {
  const actor = findRequester(state, row, at);
  if (isRefusal(actor)) return actor;
  const act = actOf(row, actor, at, derive);
  if (act === undefined) return refuse('not_found', 'no such operation');
  if (isWithdrawnEvidenceKey(state, evidenceKeyIdOf(sealedCredentialOf(row)))) {
    return refuse('unauthorized', 'sealed under an evidence key that was withdrawn');
  }
  const performed = performGuarded(state, act);
  if (isRefusal(performed)) return performed;
  if (!areApproved(state, performed.demands, row, at)) {
    return deny('approvals_void');
  }
  const { subject } = performed;
  if (act.operation.action === 'unfreeze' && isFrozenSince(state, subject, row.createdAt)) {
    return refuse('resource_conflict', 'it was frozen after this was asked for');
  }
  return refuseOverreach(state, performed.state, { actorId: actor.id, subject }) ?? performed;
}

/** Otherwise an unfreezing that was approved ahead would undo any freeze that is still to come. */
function isFrozenSince(state: VaultState, { resourceIds }: Subject, since: number): boolean {
  const { users, keys, vaults, wallets, frozenVenues, systemFreeze } = state;
  return resourceIds.some((id) => {
    const rows = [users, keys, vaults, wallets].map((table) => table.rows.get(id)?.frozen);
    const freezes = [...rows, frozenVenues.get(id), id === 'system' ? systemFreeze : null];
    return freezes.some((freeze) => freeze != null && freeze.at > since);
  });
}

function actOf(row: HeldRequest, actor: User, at: number, derive: Derive): Act | undefined {
  const { call } = row;
  const matched = call === null ? undefined : findLedgerOperation(call.method, call.path);
  if (call === null || matched === undefined) return undefined;
  const entryHash = Buffer.from(call.entryHash, 'hex');
  return {
    ...matched,
    query: call.query,
    body: Buffer.from(call.body, 'base64'),
    actor,
    at,
    entryHash,
    secret: (label) => derive(sealedCredentialOf(row), label, entryHash),
  };
}

function operationOf({ call }: HeldRequest): Act['operation'] | undefined {
  return call === null ? undefined : findLedgerOperation(call.method, call.path)?.operation;
}

function sealedCredentialOf({ call }: HeldRequest): Buffer {
  return Buffer.from(call?.sealedCredential ?? '', 'base64');
}

function withRow(state: VaultState, row: HeldRequest): VaultState {
  return { ...state, heldRequests: replaceRow(state.heldRequests, row) };
}
