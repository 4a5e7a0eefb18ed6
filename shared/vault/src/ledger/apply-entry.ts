/**
 * The fold's one step. Pure, synchronous and deterministic: no clock, no I/O, no randomness. An entry
 * that its rules refuse stays in the log and changes nothing but the head.
 */
import { authenticate } from '../authentication/authenticate.js';
import { toHex } from '@countersign/core/bytes.js';
import { isRefusal, refuse, type PolicyReference, type Refusal } from '@countersign/core/errors.js';
import { digestOf, openEvidence, requestIdOf, type Evidence } from '@countersign/core/evidence.js';
import {
  evidenceKeyIdOf,
  EvidenceSealError,
  type EvidenceKeys,
} from '@countersign/core/evidence-key.js';
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
import { decodeEntryBody, type EntryBody, type EntryRow } from './entry.js';
import { genesisState } from './genesis-state.js';
import { isDeclaredEvidenceKey, type User, type VaultState } from '../state/state.js';

/** How far the clocks of two appenders may disagree before an entry counts as out of order. */
const APPEND_SKEW_MS = 5_000;

/** What folding one entry came to: the audit log's line and the request record's source. */
export interface EntryOutcome {
  readonly seq: number;
  readonly hash: Uint8Array;
  readonly prevHash: Uint8Array;
  /** Effective time, ms. */
  readonly at: number;
  readonly kind: EntryBody['content']['kind'] | 'unreadable';
  readonly refusal: Refusal | undefined;
  readonly actorId: string | undefined;
  readonly operation: LedgerOperation | undefined;
  readonly requestId: string | undefined;
  readonly policy: PolicyReference | undefined;
  readonly subject: Subject | undefined;
  /** The entry's sealed credential: what secrets of the answer are derived from. */
  readonly sealedCredential: Uint8Array | undefined;
}

export interface Step {
  readonly state: VaultState;
  readonly outcome: EntryOutcome;
}

export function applyEntry(state: VaultState, row: EntryRow, keys: EvidenceKeys): Step {
  let body: EntryBody;
  try {
    body = decodeEntryBody(row.body);
  } catch {
    const refusal = refuse('parse_error', 'unreadable entry');
    return advance(state, state, row, { at: state.time, kind: 'unreadable', refusal });
  }
  const at = Math.max(body.appendedAt, state.time);
  const common = { at, kind: body.content.kind };
  if (state.time - body.appendedAt > APPEND_SKEW_MS) {
    const refusal = refuse('unauthorized', 'the time of the entry goes back');
    return advance(state, state, row, { ...common, refusal });
  }
  const applied = applyContent(state, row, body, at, keys);
  const next = applied.state ?? state;
  // nothing signed vouches for the date of a party's word: it must not put the vault's time out of reach
  const movesTime = applied.state !== undefined && hasSignedDate(body.content.kind);
  return advance(state, { ...next, time: movesTime ? at : state.time }, row, {
    ...common,
    ...applied.facts,
  });
}

/** Whether somebody's signature bounds when the entry was appended: a party signs facts, not their date. */
export function hasSignedDate(kind: EntryOutcome['kind']): boolean {
  return kind === 'genesis' || kind === 'evidence';
}

type Facts = Partial<Omit<EntryOutcome, 'seq' | 'hash' | 'prevHash'>>;

interface Result {
  /** Absent when the entry was refused. */
  readonly state?: VaultState;
  readonly facts: Facts;
}

function refused(refusal: Refusal, facts: Facts = {}): Result {
  return { facts: { ...facts, refusal, policy: refusal.policy ?? facts.policy } };
}

function advance(before: VaultState, after: VaultState, row: EntryRow, facts: Facts): Step {
  return {
    state: { ...after, seq: row.seq, headHash: toHex(row.hash) },
    outcome: {
      seq: row.seq,
      hash: row.hash,
      prevHash: row.prevHash,
      at: facts.at ?? before.time,
      kind: facts.kind ?? 'unreadable',
      refusal: facts.refusal,
      actorId: facts.actorId,
      operation: facts.operation,
      requestId: facts.requestId,
      policy: facts.policy,
      subject: facts.subject,
      sealedCredential: facts.sealedCredential,
    },
  };
}

function applyContent(
  state: VaultState,
  row: EntryRow,
  body: EntryBody,
  at: number,
  keys: EvidenceKeys,
): Result {
  const { content } = body;
  if (content.kind === 'genesis') {
    return row.seq === 1
      ? { state: genesisState(state, content.genesis, row, at), facts: {} }
      : refused(refuse('resource_conflict', 'the vault has its genesis'));
  }
  if (state.genesisHash === '') return refused(refuse('forbidden', 'there is no genesis yet'));
  if (content.kind !== 'evidence') return applyPartyFact(state, content, at);
  const { sealedCredential } = content.evidence;
  let evidence: Evidence;
  try {
    const keyId = evidenceKeyIdOf(sealedCredential);
    if (!isDeclaredEvidenceKey(state, keyId)) {
      return refused(refuse('unauthorized', 'sealed under an evidence key that was not declared'));
    }
    evidence = openEvidence(content.evidence, keys);
  } catch (error) {
    // a declared key that is not held is an operator's mistake, no fault of the entry: it stops this node
    if (!(error instanceof EvidenceSealError)) throw error;
    return refused(refuse('unauthorized', 'the credential does not open'));
  }
  const secret = (label: string) => keys.derive(sealedCredential, label, row.hash);
  const result = applyEvidence(state, evidence, { row, appendedAt: body.appendedAt, at, secret });
  return { ...result, facts: { ...result.facts, sealedCredential } };
}

type PartyFact = Exclude<EntryBody['content'], { kind: 'genesis' | 'evidence' }>;

function applyPartyFact(state: VaultState, content: PartyFact, at: number): Result {
  const { subject, party, result } = partyFactResult(state, content, at);
  const facts: Facts = { actorId: `party_${party}`, subject };
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

interface EvidenceContext {
  readonly row: EntryRow;
  readonly appendedAt: number;
  readonly at: number;
  secret(label: string): Buffer;
}

function applyEvidence(state: VaultState, evidence: Evidence, context: EvidenceContext): Result {
  const digest = digestOf(evidence);
  const facts: Facts = { requestId: requestIdOf(digest) };
  const matched = findLedgerOperation(evidence.method, evidence.path);
  if (matched === undefined) return refused(refuse('not_found', 'no such operation'), facts);
  const actor = authenticate(state, evidence, context.appendedAt, digest);
  if (isRefusal(actor)) return refused(actor, { ...facts, operation: matched.operation });
  const known: Facts = { ...facts, operation: matched.operation, actorId: actor.id };
  const nonce = toHex(evidence.nonce);
  if (state.nonces.has(nonce)) {
    return refused(refuse('unauthorized', 'the nonce was used before'), known);
  }
  const applied = applyOperation(state, matched, evidence, { ...context, actor });
  if (isRefusal(applied)) return refused(applied, known);
  return {
    state: { ...applied.state, nonces: applied.state.nonces.add(nonce) },
    facts: { ...known, policy: applied.policy, subject: applied.subject },
  };
}

function applyOperation(
  state: VaultState,
  { operation, params }: { operation: LedgerOperation; params: Readonly<Record<string, string>> },
  evidence: Evidence,
  context: EvidenceContext & { readonly actor: User },
): { state: VaultState; subject: Subject; policy: PolicyReference } | Refusal {
  const { actor, at, row, secret } = context;
  const input = parseInput(operation, { params, query: evidence.query, body: evidence.body });
  if (isRefusal(input)) return input;
  if (state.systemFreeze !== null && operation.duringSystemFreeze !== true) {
    return refuse('forbidden', 'the system is frozen');
  }
  const vaultIds = operation.vaultIds?.(state, input) ?? [];
  const permission = authorizeAdmin(state, actor, operation.action, vaultIds);
  if (isRefusal(permission)) return permission;
  const apply: ApplyContext = { at, actor, secret, newId: (name) => deriveId(row.hash, name) };
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
