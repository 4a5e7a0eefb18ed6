/** Decisions about waiting requests. The fold finds whether one completes a request, and carries it out. */
import * as requests from '@countersign/api/requests/decisions.js';
import { toHex } from '@countersign/core/bytes.js';
import { deny } from '@countersign/core/fold-denials.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import { askingRulesOf } from '../policy/signing-rights.js';
import {
  credentialMark,
  demandsOn,
  findRequester,
  isApprover,
  mayStop,
  maySeePending,
} from '../policy/approvals.js';
import type { PendingRequest, VaultState } from '../state/state.js';
import { replaceRow } from '../state/table.js';
import { closed, requestSubject } from './pending-state.js';
import { ledgerOperation, type Applied, type ApplyContext } from './ledger-operation.js';
import { findRow, noSuchResource } from './lookups.js';

/**
 * 403 for who is not asked, the requester included. 409 for a request that no longer waits, for who has approved
 * already, and for the digest of another request.
 */
export const approveRequest = ledgerOperation({
  ...requests.approvalRequest,
  duringSystemFreeze: true,
  apply(state, { params, body }, { actor, at, entryHash }) {
    const row = findOpen(state, params['request_id'], { actor, at });
    if (isRefusal(row)) return row;
    if (row.status !== 'waiting') return refuse('resource_conflict', 'it is approved already');
    const refusal = refuseApprover(state, row, { actor, at });
    if (refusal !== undefined) return refusal;
    if (body.digest !== row.digest) {
      return refuse('resource_conflict', 'the digest is not that of this request');
    }
    const { rule_ids: ruleIds } = body;
    const misnamed = ruleIds && refuseRules(state, row, ruleIds);
    if (misnamed !== undefined) return misnamed;
    const credential = credentialMark(actor);
    const others = row.given.filter(({ userId }) => userId !== actor.id);
    const own = row.given.find(({ userId }) => userId === actor.id);
    if (own?.credential === credential && saysTheSame(own.ruleIds, ruleIds)) {
      return refuse('resource_conflict', 'you have approved it already');
    }
    const entry = { userId: actor.id, at, credential, entryHash: toHex(entryHash) };
    const given = [...others, ruleIds === undefined ? entry : { ...entry, ruleIds }];
    return applied(
      { ...state, pendingRequests: replaceRow(state.pendingRequests, { ...row, given }) },
      row,
    );
  },
});

/** 422 for rules that could not ask for an approval of this request. */
function refuseRules(
  state: VaultState,
  { signing, createdBy }: PendingRequest,
  ruleIds: readonly string[],
): Refusal | undefined {
  const requester = state.users.rows.get(createdBy);
  if (signing === undefined || requester === undefined) {
    return refuse('invalid_inputs', 'rule_ids: only a signature is approved under rules');
  }
  const asking = askingRulesOf(state, signing, requester).map(({ rule }) => rule.id);
  const unknown = ruleIds.find((id) => !asking.includes(id));
  return unknown === undefined
    ? undefined
    : refuse('invalid_inputs', `rule_ids: rule ${unknown} asks for no approval of this request`);
}

/** Whoever approved under other rules than those that ask now may approve again. */
function saysTheSame(one: readonly string[] | undefined, other: readonly string[] | undefined) {
  return one === undefined || other === undefined
    ? one === other
    : one.length === other.length && one.every((id) => other.includes(id));
}

/** Ends the request. 403 for who is not asked. */
export const rejectRequest = ledgerOperation({
  ...requests.rejectionRequest,
  duringSystemFreeze: true,
  apply(state, { params, body }, { actor, at }) {
    const row = findOpen(state, params['request_id'], { actor, at });
    if (isRefusal(row)) return row;
    const refusal = refuseApprover(state, row, { actor, at });
    if (refusal !== undefined) return refusal;
    const [endedAt, endedBy, reason] = [at, actor.id, body.reason ?? null];
    return applied(closed(state, row, { status: 'rejected', endedAt, endedBy, reason }), row);
  },
});

/** Ends the request. 403 for anybody but the requester and, while it waits for its time, those who may freeze. */
export const cancelRequest = ledgerOperation({
  ...requests.cancellationRequest,
  duringSystemFreeze: true,
  apply(state, { params, body }, { actor, at }) {
    const row = findOpen(state, params['request_id'], { actor, at });
    if (isRefusal(row)) return row;
    if (row.createdBy !== actor.id && !mayStop(state, row, actor)) {
      return deny('not_yours');
    }
    const [endedAt, endedBy, reason] = [at, actor.id, body.reason ?? null];
    return applied(closed(state, row, { status: 'cancelled', endedAt, endedBy, reason }), row);
  },
});

/** 404 for who may not see it; 409 for one that has ended. */
function findOpen(
  state: VaultState,
  id: string | undefined,
  { actor, at }: Pick<ApplyContext, 'actor' | 'at'>,
): PendingRequest | Refusal {
  const row = findRow(state.pendingRequests, id);
  if (isRefusal(row)) return row;
  if (!maySeePending(state, row, actor)) return noSuchResource(id);
  if (row.status !== 'waiting' && row.status !== 'delayed') {
    return refuse('resource_conflict', `the request is ${row.status}`);
  }
  return row.status === 'waiting' && row.expiresAt <= at
    ? refuse('resource_conflict', 'the request is expired')
    : row;
}

function refuseApprover(
  state: VaultState,
  row: PendingRequest,
  { actor, at }: Pick<ApplyContext, 'actor' | 'at'>,
): Refusal | undefined {
  if (actor.id === row.createdBy) {
    return deny('own_request');
  }
  const requester = findRequester(state, row, at);
  if (isRefusal(requester)) return requester;
  const demands = demandsOn(state, row, requester);
  if (isRefusal(demands)) return demands;
  return isApprover(demands, row, actor) ? undefined : deny('not_asked');
}

function applied(state: VaultState, row: PendingRequest): Applied {
  return { state, subject: requestSubject(state, row) };
}
