/**
 * Approvals of signatures at the moment of signing: which rule decides, and whether its approvals are there. Each party
 * finds this over the same state; the fold reaches none of it.
 */
import { parseBase64 } from '@countersign/core/bytes.js';
import { deny, ruleName } from '@countersign/core/denials.js';
import type { Refusal, RuleReference } from '@countersign/core/errors.js';
import { evidenceKeyIdOf } from '@countersign/core/evidence-seal.js';
import { isWithdrawnEvidenceKey } from '../state/state.js';
import type {
  GivenApproval,
  PendingRequest,
  PendingSigning,
  User,
  VaultState,
} from '../state/state.js';
import { approvalsFor, credentialMark, demandOfRule, isMet, RELEASE_LIFE_MS } from './approvals.js';
import type { AskingRule } from './signing-rights.js';

/**
 * A rule asks for approvals of a request that was never held. It goes to the ledger first, and until then nothing
 * about it is decided for good.
 */
export const NOT_HELD = deny('not_held');

/** Why an item of a batch is not signed: the ledger holds whole requests, each for its own approvals. */
export function refuseAsking(asked: readonly AskingRule[]): Refusal | undefined {
  if (asked.length === 0) return undefined;
  return deny('asks_alone', asked.map((asking) => ruleName(referenceOf(asking))).join(' and '));
}

/** Two parties agree about the time within this, ms: a release may lie so far ahead of a clock. */
const CLOCKS_APART_MS = 60_000;

/** A request for a signature that waits, or waited; undefined if there is none. */
export function findPendingSigning(
  { pendingRequests }: VaultState,
  requestId: string,
): (PendingRequest & { readonly signing: PendingSigning }) | undefined {
  const row = pendingRequests.rows.get(requestId);
  return row?.signing === undefined ? undefined : { ...row, signing: row.signing };
}

/** Whether the request waits, or was released lately: it may still be signed. */
export function isHeldOpen(state: VaultState, requestId: string): boolean {
  return state.pendingRequests.indexes.open.has(requestId);
}

/** Why nobody may sign a held request now, whoever approved it; undefined in the time of its release. `now`: ms. */
export function refuseUnreleased(
  { status, releasedAt }: PendingRequest,
  now: number,
): Refusal | undefined {
  if (status !== 'released' || releasedAt === undefined) {
    return deny('not_released', status);
  }
  const isNow = now >= releasedAt - CLOCKS_APART_MS && now < releasedAt + RELEASE_LIFE_MS;
  return isNow ? undefined : deny('release_over');
}

function referenceOf({ policy: { id, version }, rule }: AskingRule): RuleReference {
  return { id, version, ruleId: rule.id };
}

/**
 * The approvals that let the request be signed, each once, in the order in which they were given; none if no rule
 * asks. `asked`: the rules that decide about it now.
 */
export function findApprovals(
  state: VaultState,
  requestId: string,
  { asked, requester }: { readonly asked: readonly AskingRule[]; readonly requester: User },
  now: number,
): readonly GivenApproval[] | Refusal {
  const held = findPendingSigning(state, requestId);
  if (held === undefined) {
    return asked.length === 0 ? [] : NOT_HELD;
  }
  const unreleased = refuseUnreleased(held, now);
  if (unreleased !== undefined) return unreleased;
  if (held.createdBy !== requester.id || held.credential !== credentialMark(requester)) {
    return deny('other_credential');
  }
  const { call } = held;
  const sealed = call === null ? undefined : parseBase64(call.sealedCredential);
  if (sealed === undefined || isWithdrawnEvidenceKey(state, evidenceKeyIdOf(sealed))) {
    return deny('evidence_key_withdrawn');
  }
  // a held request must never be signed without approvals: had a rule allowed it by itself, it may have been signed
  // already
  if (asked.length === 0) {
    return deny('asked_no_more');
  }
  const releasedAt = held.releasedAt ?? now;
  const counted = asked
    .map(demandOfRule)
    .map((demand) =>
      isMet(state, demand, held, Math.max(releasedAt, held.createdAt))
        ? approvalsFor(state, demand, held, now)
        : [],
    );
  const missing = asked.filter(({ approvals }, index) => counted[index]!.length < approvals.quorum);
  if (missing.length > 0) return deny('approvals_missing', missing.map(referenceOf));
  const all = new Set(counted.flat());
  return held.given.filter((one) => all.has(one));
}
