/** The first rules: what each kind of entry does to the state, and when it is refused. */
import { authenticate } from '../authentication/authenticate.js';
import type { OpenedRequest } from '../authentication/opened-request.js';
import { toHex } from '@countersign/core/bytes.js';
import { isRefusal, refuse, type PolicyReference, type Refusal } from '@countersign/core/errors.js';
import { evidenceKeyIdOf, EvidenceSealError } from '@countersign/core/evidence-key.js';
import { FIRST_OPERATIONS } from '../operations/first-rules/first-operations.js';
import { findLedgerOperation } from '../operations/ledger-operations.js';
import { deriveId, type LedgerOperation } from '../operations/ledger-operation.js';
import { parseInput } from '../operations/operation-input.js';
import type { ApplyContext, Subject } from '../operations/ledger-operation.js';
import { authorizeAdmin, hasPolicyAdministrator } from '../policy/admin-policy.js';
import {
  applyEvidenceKey,
  applyKeyAttestation,
  applyKeyRefusal,
  applyRecipient,
} from './apply-attestation.js';
import type { EntryContent } from './entry.js';
import type { EntryFacts } from './entry-outcome.js';
import type { LoggedEntry, LoggedRequest } from './logged-entry.js';
import type { Judgement, Moment, Rules } from './judging.js';
import { isDeclaredEvidenceKey, type User, type VaultState } from '../state/state.js';

export const rulesVersion1: Rules = { version: 1, judge: judgeByOperations(FIRST_OPERATIONS) };

/** The first rules, of a vault that is changed by these operations. */
export function judgeByOperations(operations: readonly LedgerOperation[]): Rules['judge'] {
  return (state, entry, moment) => {
    const { content, request } = entry;
    if (request !== undefined) return judgeRequest(state, { entry, request, moment, operations });
    if (isPartyFact(content)) return judgePartyFact(state, content, moment.at);
    return refused(refuse('resource_conflict', 'not a change of the vault'));
  };
}

function refused(refusal: Refusal, facts: EntryFacts = {}): Judgement {
  return { facts: { ...facts, refusal, policy: refusal.policy ?? facts.policy } };
}

function judgeRequest(state: VaultState, context: RequestContext): Judgement {
  const { request } = context;
  const { sealedCredential } = request;
  let opened: OpenedRequest;
  try {
    if (!isDeclaredEvidenceKey(state, evidenceKeyIdOf(sealedCredential))) {
      return refused(refuse('unauthorized', 'sealed under an evidence key that was not declared'));
    }
    opened = request.open();
  } catch (error) {
    // a declared key that is not held is an operator's mistake, no fault of the entry: it stops this node
    if (!(error instanceof EvidenceSealError)) throw error;
    return refused(refuse('unauthorized', 'the credential does not open'));
  }
  const result = judgeOpened(state, opened, context);
  return { ...result, facts: { ...result.facts, sealedCredential } };
}

type PartyFact = Extract<
  EntryContent,
  { kind: 'attestation' | 'key-refusal' | 'recipient' | 'evidence-key' }
>;

function isPartyFact(content: EntryContent): content is PartyFact {
  const { kind } = content;
  return (
    kind === 'attestation' ||
    kind === 'key-refusal' ||
    kind === 'recipient' ||
    kind === 'evidence-key'
  );
}

function judgePartyFact(state: VaultState, content: PartyFact, at: number): Judgement {
  const { subject, party, result } = partyFactResult(state, content, at);
  const facts: EntryFacts = { actorId: `party_${party}`, subject };
  return isRefusal(result) ? refused(result, facts) : { state: result, facts };
}

function partyFactResult(
  state: VaultState,
  content: PartyFact,
  at: number,
): { subject: Subject; party: number; result: VaultState | Refusal } {
  if (content.kind === 'evidence-key') {
    const { evidenceKey } = content;
    const subject = { resourceType: 'evidence_key', resourceIds: [evidenceKey.evidenceKeyId] };
    return { subject, party: evidenceKey.party, result: applyEvidenceKey(state, evidenceKey) };
  }
  if (content.kind === 'recipient') {
    const { recipient } = content;
    const subject = { resourceType: 'import_recipient', resourceIds: [recipient.recipientId] };
    return { subject, party: recipient.party, result: applyRecipient(state, recipient, at) };
  }
  const fact = content.kind === 'attestation' ? content.attestation : content.refusal;
  const subject = { resourceType: 'key', resourceIds: [fact.keyId], keyIds: [fact.keyId] };
  const result =
    content.kind === 'attestation'
      ? applyKeyAttestation(state, content.attestation, at)
      : applyKeyRefusal(state, content.refusal, at);
  return { subject, party: fact.party, result };
}

interface RequestContext {
  readonly entry: LoggedEntry;
  readonly request: LoggedRequest;
  readonly moment: Moment;
  readonly operations: readonly LedgerOperation[];
}

function judgeOpened(state: VaultState, opened: OpenedRequest, context: RequestContext): Judgement {
  const { evidence, requestId } = opened;
  const { clock, at } = context.moment;
  const facts: EntryFacts = { requestId };
  const matched = findLedgerOperation(evidence.method, evidence.path, context.operations);
  if (matched === undefined) return refused(refuse('not_found', 'no such operation'), facts);
  const { operation } = matched;
  // what only takes away counts whatever its age: whoever held it back has gained nothing
  const staleAt = operation.action === 'freeze' ? undefined : clock;
  const actor = authenticate(state, opened, { now: clock ?? at, staleAt });
  if (isRefusal(actor)) return refused(actor, { ...facts, operation });
  const known: EntryFacts = { ...facts, operation, actorId: actor.id };
  const nonce = toHex(evidence.nonce);
  if (state.nonces.has(nonce)) {
    return refused(refuse('unauthorized', 'the nonce was used before'), known);
  }
  const applied = applyOperation(state, matched, opened, { ...context, actor });
  if (isRefusal(applied)) return refused(applied, known);
  return {
    state: { ...applied.state, nonces: applied.state.nonces.add(nonce) },
    facts: { ...known, policy: applied.policy, subject: applied.subject },
  };
}

function applyOperation(
  state: VaultState,
  { operation, params }: { operation: LedgerOperation; params: Readonly<Record<string, string>> },
  { evidence }: OpenedRequest,
  context: RequestContext & { readonly actor: User },
): { state: VaultState; subject: Subject; policy: PolicyReference } | Refusal {
  const { actor, entry, request, moment } = context;
  const input = parseInput(operation, { params, query: evidence.query, body: evidence.body });
  if (isRefusal(input)) return input;
  if (state.systemFreeze !== null && operation.duringSystemFreeze !== true) {
    return refuse('forbidden', 'the system is frozen');
  }
  const vaultIds = operation.vaultIds?.(state, input) ?? [];
  const permission = authorizeAdmin(state, actor, operation.action, vaultIds);
  if (isRefusal(permission)) return permission;
  const apply: ApplyContext = {
    at: moment.at,
    actor,
    secret: (label) => request.secret(label),
    newId: (name) => deriveId(entry.hash, name),
  };
  const applied = operation.apply(state, input, apply);
  if (isRefusal(applied)) return applied;
  if (operation.affectsAdministrators === true && !hasPolicyAdministrator(applied.state)) {
    return refuse(
      'resource_conflict',
      'nobody would be left who can change the administrative policy',
    );
  }
  return { ...applied, policy: permission.policy };
}
