/**
 * Requests for signatures that wait for approvals. The fold reads only who asks, for which key, and by which
 * operation: see `policy/signing-approvals.ts`.
 */
import { toBase64, toHex } from '@countersign/core/bytes.js';
import { deny } from '@countersign/core/denials.js';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import type { OpenedRequest } from '../authentication/opened-request.js';
import { SIGNING_HOLDS, type SigningHold } from '../operations/signing-holds.js';
import { requestSubject } from '../operations/pending-state.js';
import { findRequester } from '../policy/approvals.js';
import { askingRulesOf, isApprovedUnder } from '../policy/signing-approvals.js';
import type { AskingRule } from '../policy/signing-rights.js';
import { freezesOfKey } from '../state/freezes.js';
import type { AskedBy, PendingRequest, PendingSigning, VaultState } from '../state/state.js';
import { insertRow, replaceRow } from '../state/table.js';
import type { LoggedRequest } from './logged-entry.js';
import type { Act, Performed } from './perform-act.js';
import { newRow, refuseTooMuch, withoutExpired } from './waiting-rows.js';

export function isSigning(operation: Act['operation']): operation is SigningHold {
  return SIGNING_HOLDS.some((hold) => hold === operation);
}

/** Makes the request wait. 403 unless a rule for that key names the caller and asks for approvals. */
export function holdSigning(
  state: VaultState,
  act: Act & { readonly operation: SigningHold },
  opened: OpenedRequest,
  request: LoggedRequest,
): Performed | Refusal {
  const { operation, actor, at, params } = act;
  const target = operation.findTarget(state, params);
  if (isRefusal(target)) return target;
  const { scheme, timestampMs, nonce, assertion } = opened.evidence;
  const asked = {
    operation: operation.signs,
    keyId: target.key.id,
    walletId: target.wallet?.id ?? target.key.walletId,
  };
  const rules = askingRulesOf(state, asked, actor);
  const signing: PendingSigning = {
    ...asked,
    scheme,
    timestampMs,
    askedSince: askedSince(state, rules),
    nonce: toHex(nonce),
    assertion: toBase64(assertion),
  };
  const frozen = refuseFrozen(state, signing);
  if (rules.length === 0 || frozen !== undefined) return frozen ?? NOTHING_ASKED;
  const vaultIds = target.wallet === undefined ? [] : [target.wallet.vaultId];
  const row: PendingRequest = {
    ...newRow(act, opened, request),
    actions: [],
    vaultIds,
    askedBy: rules.map(askedByOf),
    expiresAt: at + Math.max(...rules.map(({ approvals }) => approvals.expiresInMs)),
    signing,
  };
  const cleared = withoutExpired(state, at);
  const tooMuch = refuseTooMuch(cleared, row);
  if (tooMuch !== undefined) return tooMuch;
  return {
    state: { ...cleared, pendingRequests: insertRow(cleared.pendingRequests, row) },
    subject: requestSubject(state, row),
    ...{ policy: undefined, demands: [], actions: [] },
    vaultIds,
  };
}

function askedByOf({ policy: { id: policyId, version }, rule, approvals }: AskingRule): AskedBy {
  return { policyId, version, ruleId: rule.id, quorum: approvals.quorum };
}

/**
 * Since when, at the latest, one of the rules asks: it and its group's members have not changed since. 0 for no rules.
 */
function askedSince({ securityGroups }: VaultState, rules: readonly AskingRule[]): number {
  const each = rules.map(({ policy }) => {
    const group = securityGroups.rows.get(policy.securityGroupId);
    return Math.max(policy.lastUpdatedAt, group?.lastUpdatedAt ?? policy.lastUpdatedAt);
  });
  return each.length === 0 ? 0 : Math.min(...each);
}

const NOTHING_ASKED = deny('nothing_asked');

/**
 * After an approval, lets the parties sign if nothing is missing under the rules that it names. A release is for good:
 * from this one moment on the request may be signed, whatever is approved, frozen or changed later.
 */
export function release(
  performed: Performed,
  row: PendingRequest & { readonly signing: PendingSigning },
  at: number,
): Performed | Refusal {
  const { state } = performed;
  const requester = findRequester(state, row, at);
  if (isRefusal(requester)) return requester;
  const rules = rulesOfNewest(askingRulesOf(state, row.signing, requester), row);
  const isReady =
    rules.length > 0 && rules.every((asking) => isApprovedUnder(state, asking, row, at));
  if (!isReady) return performed;
  // otherwise its time would pass while nothing may be signed
  const frozen = refuseFrozen(state, row.signing);
  if (frozen !== undefined) return frozen;
  const released = { ...row, status: 'released', releasedAt: at } as const;
  return {
    ...performed,
    state: { ...state, pendingRequests: replaceRow(state.pendingRequests, released) },
  };
}

function rulesOfNewest(asking: readonly AskingRule[], { given }: PendingRequest): AskingRule[] {
  const named = given.at(-1)?.ruleIds;
  return asking.filter(({ rule }) => named?.includes(rule.id) ?? true);
}

function refuseFrozen(state: VaultState, { keyId }: PendingSigning): Refusal | undefined {
  const key = state.keys.rows.get(keyId);
  const [widest] = key === undefined ? [] : freezesOfKey(state, key);
  return widest === undefined ? undefined : deny('frozen', widest.scope);
}
