/**
 * Requests that wait for approvals, then for their time. Each is done in its requester's name, after a new check of
 * their standing and right, with the ids and secrets that its own entry gives.
 */
import { deny } from '@countersign/core/fold-denials.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import { findOperation } from '../operations/find-operation.js';
import { demandsOn, findRequester, isMet } from '../policy/approvals.js';
import type { Demand } from '../policy/admin-policy.js';
import type { PendingRequest, User, VaultState } from '../state/state.js';
import { replaceRow } from '../state/table.js';
import { closed, openRequests } from '../operations/pending-state.js';
import type { DecidedRequest } from './entry-outcome.js';
import { refuseWithdrawnSeal } from './evidence-key-withdrawal.js';
import { holdSigning, isSigning, release } from './pending-signing.js';
import { askedByOf, newRow, withHeld, withoutExpired } from './waiting-rows.js';

import { performAct } from './perform-act.js';
import type { Act, Doing, Due, Governed, Performed, Settlement } from './judging.js';
import { refuseOverreach } from './overreach.js';
import { CANNOT_BE_JUDGED, refuseThrown } from './refuse-thrown.js';
import { refuseUnguarded } from './change-guards.js';
import { voidUnfreezings } from './void-unfreezings.js';

/** The expiry of a request that needs no approvals: it only waits for its time, which comes well before. */
const MAX_EXPIRY_MS = 30 * 24 * 3_600_000;

/** Carries out what may be done at once, and makes the rest wait. */
export function performGoverned(
  state: VaultState,
  act: Act,
  governed: Governed,
): Performed | Refusal {
  const { opened, request } = governed;
  const { operation } = act;
  if (isSigning(operation)) return holdSigning(state, { ...act, operation }, opened, request);
  const performed = performGuarded(state, act);
  if (isRefusal(performed)) return performed;
  const isHeld = isHeldUp(act, performed.demands);
  const next = isHeld ? hold(state, act, governed, performed) : performed;
  if (isRefusal(next) || next.subject.resourceType !== 'request') return next;
  return goOn(next, { at: act.at, derive: request.derive, operations: governed.operations });
}

/** Performs the act without approvals and delays. */
function performGuarded(state: VaultState, act: Act): Performed | Refusal {
  const performed = performAct(state, act);
  if (isRefusal(performed)) return performed;
  const { state: after, subject } = performed;
  const refusal = refuseUnguarded(state, after, { actorId: act.actor.id, subject });
  if (refusal !== undefined || act.operation.action !== 'freeze') return refusal ?? performed;
  return { ...performed, state: voidUnfreezings(after, subject, act.at) };
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
  governed: Governed,
  performed: Performed,
): Performed | Refusal {
  // a request that would be refused now does not wait
  const overreach = refuseOverreach(state, performed.state, {
    actorId: act.actor.id,
    subject: performed.subject,
  });
  if (overreach !== undefined) return overreach;
  const row = heldRow(act, performed, governed);
  const held = withHeld(state, row);
  if (isRefusal(held)) return held;
  const { vaultIds } = performed;
  const subject = { resourceType: 'request', resourceIds: [row.id], vaultIds };
  return { ...performed, state: held, subject };
}

function heldRow(
  act: Act,
  { demands, actions, vaultIds, subject }: Performed,
  { opened, request }: Governed,
): PendingRequest {
  const asked = demands.flatMap(({ approvals }) => approvals ?? []);
  return {
    ...newRow(act, opened, request),
    ...(act.operation.action === 'unfreeze' && { unfreezes: subject }),
    actions,
    vaultIds,
    askedBy: demands.map(askedByOf),
    expiresAt: act.at + Math.min(...asked.map(({ expiresInMs }) => expiresInMs), MAX_EXPIRY_MS),
  };
}

/** Carries out the request that a decision was about, if nothing is missing any more. */
function goOn(performed: Performed, doing: Doing): Performed | Refusal {
  const { at } = doing;
  const row = performed.state.pendingRequests.rows.get(performed.subject.resourceIds[0] ?? '');
  if (row?.status !== 'waiting') return performed;
  const { state } = performed;
  const requester = findRequester(state, row, at);
  if (isRefusal(requester)) return requester;
  const demands = demandsOn(state, row, requester);
  if (isRefusal(demands)) return demands;
  const asked = underNewest(demands, row);
  if (!areApproved(state, asked, row, at)) return performed;
  const { signing } = row;
  if (signing !== undefined) {
    const released = asked.length === 0 ? state : release(state, row, { signing, at });
    return isRefusal(released) ? released : { ...performed, state: released };
  }
  const operation = operationOf(row, doing);
  const delay = operation === undefined ? 0 : delayOf(operation, demands);
  if (delay > 0) {
    const delayed = { ...row, status: 'delayed', dueAt: at + delay } as const;
    return { ...performed, state: withRow(state, delayed) };
  }
  const isFrozen = state.systemFreeze !== null && operation?.duringSystemFreeze !== true;
  if (isFrozen) return deny('frozen', 'system');
  return { ...performed, ...carryOut(state, row, doing) };
}

/** Of the rules that ask about a signature, those that its newest approval names. */
function underNewest(demands: readonly Demand[], { given }: PendingRequest): readonly Demand[] {
  const named = given.at(-1)?.ruleIds;
  return named === undefined
    ? demands
    : demands.filter(({ policy: { ruleId } }) => ruleId === undefined || named.includes(ruleId));
}

function areApproved(
  state: VaultState,
  demands: readonly Demand[],
  row: PendingRequest,
  at: number,
): boolean {
  return demands.every((demand) => isMet(state, demand, row, at));
}

/**
 * Carries out what came due, in that order, and drops what came too late. A request that is ended or frozen in the
 * newest state does not take effect. So what only takes away wins over what falls due behind it, even before two
 * parties have countersigned it.
 */
export function settleDue(
  state: VaultState,
  { at, optimistic, derive, operations }: Due & Pick<Doing, 'operations'>,
): Settlement | undefined {
  const doing = { at, derive, operations };
  const due = openRequests(state)
    .filter((row) => row.dueAt !== null && row.dueAt <= at)
    .filter((row) => ![state, optimistic].some((seen) => isStopped(seen, row, doing)))
    .filter(({ createdBy }) => !isFrozenAhead(state, optimistic, createdBy))
    .toSorted((a, b) => a.dueAt! - b.dueAt! || (a.id < b.id ? -1 : 1));
  const cleared = withoutExpired(state, at);
  const ended = openRequests(state).filter(({ id }) => !isOpen(cleared, id));
  if (due.length === 0 && ended.length === 0) return undefined;
  const decided: DecidedRequest[] = [];
  const settled = due.reduce((now, row) => {
    // one of those before it may have ended it
    if (!isOpen(now, row.id)) return now;
    const done = carryOut(now, row, doing);
    decided.push(...done.decided);
    return done.state;
  }, cleared);
  return { state: settled, decided, ended: ended.map(({ id }) => id) };
}

function isOpen({ pendingRequests }: VaultState, id: string): boolean {
  return pendingRequests.indexes.open.has(id);
}

function isStopped(seen: VaultState, row: PendingRequest, doing: Doing): boolean {
  return (
    !isOpen(seen, row.id) ||
    (seen.systemFreeze !== null && operationOf(row, doing)?.duringSystemFreeze !== true)
  );
}

/** Whether a freeze of the user waits to be countersigned. */
function isFrozenAhead(state: VaultState, optimistic: VaultState, userId: string): boolean {
  const [now, ahead] = [state, optimistic].map(
    ({ users }) => users.rows.get(userId)?.frozen ?? null,
  );
  return now === null && ahead !== null;
}

/** Ends the request: it is done, or fails for a reason that is written down. */
function carryOut(state: VaultState, row: PendingRequest, doing: Doing): Settlement {
  const { performed, fault } = refuseThrown<Carried>(
    () => ({ performed: performHeld(state, row, doing), fault: undefined }),
    (thrown) => ({ performed: CANNOT_BE_JUDGED, fault: thrown }),
  );
  const operation = operationOf(row, doing);
  const [endedAt, endedBy] = [doing.at, null];
  const decide = (subject: DecidedRequest['subject']): DecidedRequest[] => {
    if (operation === undefined) return [];
    const decided = { requestId: row.id, operation, actorId: row.createdBy, subject };
    return [fault === undefined ? decided : { ...decided, fault }];
  };
  if (isRefusal(performed)) {
    const { message: reason, refused: failure } = performed;
    const end = { status: 'failed', endedAt, endedBy, reason, failure } as const;
    return { state: closed(state, row, end), decided: decide(undefined) };
  }
  const { subject } = performed;
  const end = { status: 'applied', endedAt, endedBy, subject } as const;
  return { state: closed(performed.state, row, end), decided: decide(subject) };
}

/** The rules in force do not have it any more. */
const NO_SUCH_OPERATION = refuse('not_found', 'no such operation');

interface Carried {
  readonly performed: Performed | Refusal;
  readonly fault: string | undefined;
}

function performHeld(state: VaultState, row: PendingRequest, doing: Doing): Performed | Refusal {
  const actor = findRequester(state, row, doing.at);
  if (isRefusal(actor)) return actor;
  const act = actOf(row, actor, doing);
  if (act === undefined) return NO_SUCH_OPERATION;
  const withdrawn = refuseWithdrawnSeal(state, { sealedCredential: sealedCredentialOf(row) });
  if (withdrawn !== undefined) return withdrawn;
  const performed = performGuarded(state, act);
  if (isRefusal(performed)) return performed;
  if (!areApproved(state, performed.demands, row, doing.at)) return deny('approvals_void');
  const { subject } = performed;
  return refuseOverreach(state, performed.state, { actorId: actor.id, subject }) ?? performed;
}

function actOf(row: PendingRequest, actor: User, doing: Doing): Act | undefined {
  const { call } = row;
  const matched = findMatch(row, doing);
  if (call === null || matched === undefined) return undefined;
  const entryHash = Buffer.from(call.entryHash, 'hex');
  return {
    ...matched,
    query: call.query,
    body: Buffer.from(call.body, 'base64'),
    actor,
    at: doing.at,
    entryHash,
    secret: (label) => doing.derive(sealedCredentialOf(row), label, entryHash),
  };
}

function operationOf(row: PendingRequest, doing: Doing): Act['operation'] | undefined {
  return findMatch(row, doing)?.operation;
}

function findMatch({ call }: PendingRequest, { operations }: Doing) {
  return call === null ? undefined : findOperation(operations, call.method, call.path);
}

function sealedCredentialOf({ call }: PendingRequest): Buffer {
  return Buffer.from(call?.sealedCredential ?? '', 'base64');
}

function withRow(state: VaultState, row: PendingRequest): VaultState {
  return { ...state, pendingRequests: replaceRow(state.pendingRequests, row) };
}
