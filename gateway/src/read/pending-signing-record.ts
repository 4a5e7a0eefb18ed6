/**
 * The record of a signature that waits, or waited, for approvals. While it waits it shows the facts and deciding rules,
 * which this gateway reads from the signed bytes. Afterwards it shows the parties' result.
 */
import { timeView } from '@countersign/api/common-schema.js';
import { isRefusal } from '@countersign/core/errors.js';
import { parseBase64 } from '@countersign/core/bytes.js';
import {
  evaluateSigning,
  type ReadySigning,
} from '@countersign/vault/operations/signing-operation.js';
import { findSigningOperation } from '@countersign/vault/operations/signing-operations.js';
import { isSubject } from '@countersign/vault/policy/admin-policy.js';
import type { AskingRule } from '@countersign/vault/policy/signing-rights.js';
import type { GivenApproval, PendingRequest, User } from '@countersign/vault/state/state.js';
import {
  approvalsView,
  pendingRequestView,
  shownApprovals,
} from '@countersign/vault/views/request-view.js';
import { factsView } from './signing-facts-view.js';
import type { RequestRecord } from '../requests/request-record.js';
import type { ReadContext } from './read-operation.js';

/** What is needed to decide about a request now. */
export interface Reading extends Pick<ReadContext, 'state' | 'prices'> {
  /** ms. */
  readonly now: number;
}

/** While it waits, adds its facts and the rules that decide about it now. */
export function pendingSigningView(reading: Reading, row: PendingRequest): RequestRecord {
  const { state, now } = reading;
  const record = pendingRequestView(state, row, now);
  const read = row.status === 'waiting' ? readHeld(reading, row) : undefined;
  if (read === undefined) return record;
  const { asked } = read;
  const { approved_at: _approvedAt, ...kept } = record;
  const lastEnd = Math.max(row.createdAt, ...asked.map((asking) => endOf(asking, row)));
  const required = Math.max(0, ...asked.map(({ approvals }) => approvals.quorum));
  const given = shownApprovals(state, row, now).filter((one) =>
    asked.some((asking) => isUnder(asking, one)),
  );
  return {
    ...kept,
    ...approvalsView(required, given),
    expires_at: timeView(lastEnd),
    asked_by: asked.map(({ policy, rule, approvals }) => ({
      policy_id: policy.id,
      version: policy.version,
      rule_id: rule.id,
      quorum: approvals.quorum,
    })),
    facts: factsOf(read, reading),
  };
}

/** Adds the parties' result to a released one. */
export function endedSigningView(record: RequestRecord, made: RequestRecord): RequestRecord {
  const { expires_at: _expiresAt, phase: _phase, ...kept } = record;
  const { status, completed_at: completedAt, content, receipt, result, error } = made;
  return {
    ...kept,
    status,
    expires_at: null,
    ...(completedAt !== undefined && { completed_at: completedAt }),
    ...(content !== undefined && { content }),
    ...(receipt !== undefined && { receipt }),
    ...(result !== undefined && { result }),
    ...(error !== undefined && { error }),
  };
}

/** A waiting signature, evaluated. */
interface ReadHeld extends ReadySigning {
  readonly initiator: User;
}

/** Evaluates a waiting signature now; undefined if it could not be signed, whoever approved it. */
function readHeld({ state, prices, now }: Reading, row: PendingRequest): ReadHeld | undefined {
  const { call, createdBy } = row;
  const initiator = state.users.rows.get(createdBy);
  const matched = call === null ? undefined : findSigningOperation(call.method, call.path);
  if (initiator === undefined || call === null || matched === undefined) return undefined;
  const evidence = { query: call.query, body: parseBase64(call.body) ?? Buffer.alloc(0) };
  const asking = { initiator, receivedAt: now, waited: true, prices: prices.current() };
  const ready = evaluateSigning(state, matched, evidence, asking);
  return isRefusal(ready) ? undefined : { ...ready, initiator };
}

/** Whether a rule that decides about it now asks for an approval of this user, who has given none that counts. */
export function asksNow(reading: Reading, row: PendingRequest, user: User): boolean {
  const given = shownApprovals(reading.state, row, reading.now);
  const own = given.filter(({ userId }) => userId === user.id);
  const asked = readHeld(reading, row)?.asked ?? [];
  return asked.some(
    (asking) =>
      isSubject(asking.approvals.approvers, user) &&
      reading.now < endOf(asking, row) &&
      !own.some((one) => isUnder(asking, one)),
  );
}

/** Whether it was given under this rule, or under any that asks. */
function isUnder({ rule }: AskingRule, { ruleIds }: GivenApproval): boolean {
  return ruleIds === undefined || ruleIds.includes(rule.id);
}

/** Until when the rule counts approvals, ms. The request has its own end, by the rules that asked at first. */
function endOf({ approvals }: AskingRule, { createdAt, expiresAt }: PendingRequest): number {
  return Math.min(expiresAt, createdAt + approvals.expiresInMs);
}

function factsOf(ready: ReadHeld, { prices, now }: Reading) {
  const { initiator, operation, key, wallet, networkId, venue, transaction, messageAt } = ready;
  const facts = {
    ...{ operation: operation.name, initiator, receivedAt: now, networkId, transaction },
    venueId: key.venueId ?? undefined,
    keyId: key.id,
    walletId: wallet?.id,
    venue: venue?.facts,
    prices: prices.current(),
  };
  // a venue request is composed only later, for the time of its signature
  const isRaw = operation.name === 'raw_sign';
  return factsView(facts, isRaw ? messageAt({ at: 0, nonce: 0n, requestId: '' }) : undefined);
}
