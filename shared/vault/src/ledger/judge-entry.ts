/** Judges one entry by the operations of one version of the rules: what it changes, or why it is refused. */
import { toHex } from '@countersign/core/bytes.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import { evidenceKeyIdOf, EvidenceSealError } from '@countersign/core/evidence-seal.js';
import { authenticate, refuseStale } from '../authentication/authenticate.js';
import type { OpenedRequest } from '../authentication/opened-request.js';
import type { LedgerOperation } from '../operations/ledger-operation.js';
import { findOperation } from '../operations/find-operation.js';
import { isDeclaredEvidenceKey, type VaultState } from '../state/state.js';
import type { EntryFacts } from './entry-outcome.js';
import { refuseWithdrawnSeal } from './evidence-key-withdrawal.js';
import { performGoverned } from './pending-requests.js';
import { isPartyFact, judgePartyFact } from './judge-party-fact.js';
import type { Judgement, Moment, Rules } from './judging.js';
import type { LoggedEntry, LoggedRequest } from './entry-types.js';
import { refuseOverreach } from './overreach.js';

interface RequestContext {
  readonly entry: LoggedEntry;
  readonly request: LoggedRequest;
  readonly moment: Moment;
  readonly operations: readonly LedgerOperation[];
}

const NO_CHANGE = refuse('resource_conflict', 'not a change of the vault');

/** Judges requests by these operations, and statements of parties about keys. */
export function judgeBy(operations: readonly LedgerOperation[]): Rules['judge'] {
  return (state, entry, moment) => {
    const { content, request } = entry;
    if (isPartyFact(content)) return refuseAfter(state, judgePartyFact(state, content, moment));
    if (request === undefined) return refused(NO_CHANGE);
    return refuseAfter(state, judgeRequest(state, { entry, request, moment, operations }));
  };
}

/** Refuses a forbidden change once it is known, whatever made it. */
function refuseAfter(before: VaultState, judgement: Judgement): Judgement {
  const { state: after, facts } = judgement;
  if (after === undefined) return judgement;
  const refusal = refuseOverreach(before, after, facts);
  if (refusal === undefined) return judgement;
  const { subject, policy: _allowedBy, ...known } = facts;
  // only accepted requests tell what they were about
  const isRequest = facts.operation !== undefined;
  return { facts: { ...known, refusal, ...(!isRequest && { subject }) } };
}

function refused(refusal: Refusal, facts: EntryFacts = {}): Judgement {
  return { facts: { ...facts, refusal, policy: refusal.policy ?? facts.policy } };
}

function judgeRequest(state: VaultState, context: RequestContext): Judgement {
  const { request } = context;
  const { sealedCredential } = request;
  const withdrawn = refuseWithdrawnSeal(state, request);
  if (withdrawn !== undefined) return { facts: { refusal: withdrawn } };
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

function judgeOpened(state: VaultState, opened: OpenedRequest, context: RequestContext): Judgement {
  const { evidence, requestId } = opened;
  const { entry, request, operations } = context;
  const { clock, at } = context.moment;
  const facts: EntryFacts = { requestId };
  const matched = findOperation(operations, evidence.method, evidence.path);
  if (matched === undefined) return refused(refuse('not_found', 'no such operation'), facts);
  const { operation } = matched;
  const actor = authenticate(state, opened, { now: clock ?? at, staleAt: undefined });
  if (isRefusal(actor)) return refused(actor, { ...facts, operation });
  const known: EntryFacts = { ...facts, operation, actorId: actor.id };
  // a freeze counts whatever its age, so that whoever held it back has gained nothing
  const staleAt = operation.action === 'freeze' ? undefined : clock;
  const stale = staleAt === undefined ? undefined : refuseStale(evidence.timestampMs, staleAt);
  if (stale !== undefined) return refused(stale, known);
  const nonce = toHex(evidence.nonce);
  if (state.nonces.has(nonce)) {
    return refused(refuse('unauthorized', 'the nonce was used before'), known);
  }
  const { query, body } = evidence;
  const act = { ...matched, query, body, actor, at, entryHash: entry.hash, secret: request.secret };
  const performed = performGoverned(state, act, { opened, request, operations });
  if (isRefusal(performed)) return refused(performed, known);
  const { policy, subject, decided } = performed;
  return {
    state: { ...performed.state, nonces: performed.state.nonces.add(nonce) },
    facts: { ...known, policy, subject, ...(decided !== undefined && { decided }) },
  };
}
