/**
 * Requests for signatures that wait for approvals. The fold reads only who asks, for which key, and by which
 * operation: see `policy/approvals.ts`.
 */
import { toBase64, toHex } from '@countersign/core/bytes.js';
import { deny } from '@countersign/core/fold-denials.js';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import type { OpenedRequest } from '../authentication/opened-request.js';
import { SIGNING_HOLDS, type SigningHold } from '../operations/signing-holds.js';
import { requestSubject } from '../operations/pending-state.js';
import { demandOfRule, NOTHING_ASKED } from '../policy/approvals.js';
import { askingRulesOf, type AskingRule } from '../policy/signing-rights.js';
import { freezesOfKey } from '../state/freezes.js';
import type { PendingRequest, PendingSigning, VaultState } from '../state/state.js';
import { replaceRow } from '../state/table.js';
import type { LoggedRequest } from './entry-types.js';
import type { Act, Performed } from './judging.js';
import { askedByOf, newRow, withHeld } from './waiting-rows.js';

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
    askedBy: rules.map(demandOfRule).map(askedByOf),
    expiresAt: at + Math.max(...rules.map(({ approvals }) => approvals.expiresInMs)),
    signing,
  };
  const held = withHeld(state, row);
  if (isRefusal(held)) return held;
  const subject = requestSubject(held, row);
  return { state: held, subject, policy: undefined, demands: [], actions: [], vaultIds };
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

/**
 * Lets the parties sign. A release is for good: from this one moment on the request may be signed, whatever is
 * approved, frozen or changed later.
 */
export function release(
  state: VaultState,
  row: PendingRequest,
  { signing, at }: { readonly signing: PendingSigning; readonly at: number },
): VaultState | Refusal {
  // otherwise its time would pass while nothing may be signed
  const frozen = refuseFrozen(state, signing);
  if (frozen !== undefined) return frozen;
  const released = { ...row, status: 'released', releasedAt: at } as const;
  return { ...state, pendingRequests: replaceRow(state.pendingRequests, released) };
}

function refuseFrozen(state: VaultState, { keyId }: PendingSigning): Refusal | undefined {
  const key = state.keys.rows.get(keyId);
  const [widest] = key === undefined ? [] : freezesOfKey(state, key);
  return widest === undefined ? undefined : deny('frozen', widest.scope);
}
