/** The first rules: what each kind of entry does to the state, and when it is refused. */
import { authenticate } from '../authentication/authenticate.js';
import type { OpenedRequest } from '../authentication/opened-request.js';
import { toHex } from '@countersign/core/bytes.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import { evidenceKeyIdOf, EvidenceSealError } from '@countersign/core/evidence-key.js';
import { FIRST_OPERATIONS } from '../operations/first-rules/first-operations.js';
import { findLedgerOperation } from '../operations/ledger-operations.js';
import type { LedgerOperation, Subject } from '../operations/ledger-operation.js';
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
import { performAct, type Act, type Performed } from './perform-act.js';
import { isDeclaredEvidenceKey, type VaultState } from '../state/state.js';

export const rulesVersion1: Rules = {
  version: 1,
  operations: FIRST_OPERATIONS,
  judge: judgeByOperations(FIRST_OPERATIONS),
};

/** What a request comes to whose caller is known: at first it is done as it stands. */
export type Perform = (
  state: VaultState,
  act: Act,
  opened: OpenedRequest,
  request: LoggedRequest,
) => Performed | Refusal;

/** The first rules, of a vault that is changed by these operations. */
export function judgeByOperations(
  operations: readonly LedgerOperation[],
  perform: Perform = performAct,
): Rules['judge'] {
  return (state, entry, moment) => {
    const { content, request } = entry;
    const context = { entry, moment, operations, perform };
    if (request !== undefined) return judgeRequest(state, { ...context, request });
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
  readonly perform: Perform;
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
  const { entry, request, perform } = context;
  const { query, body } = evidence;
  const act = { ...matched, query, body, actor, at, entryHash: entry.hash, secret: request.secret };
  const performed = perform(state, act, opened, request);
  if (isRefusal(performed)) return refused(performed, known);
  const { policy, subject, decided } = performed;
  return {
    state: { ...performed.state, nonces: performed.state.nonces.add(nonce) },
    facts: { ...known, policy, subject, ...(decided !== undefined && { decided }) },
  };
}
