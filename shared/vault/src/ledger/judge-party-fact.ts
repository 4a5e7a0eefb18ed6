/** Facts that a party signed: about keys, import recipients and evidence keys. */
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import type { Subject } from '../operations/ledger-operation.js';
import type { VaultState } from '../state/state.js';
import {
  applyEvidenceKey,
  applyKeyAttestation,
  applyKeyRefusal,
  applyRecipient,
} from './apply-attestation.js';
import { applyRefresh } from './apply-refresh.js';
import { applySuccessor } from './apply-successor.js';
import type { EntryContent } from './entry.js';
import type { EntryFacts } from './entry-outcome.js';
import type { Judgement, Moment } from './judging.js';

const PARTY_FACTS = [
  'attestation',
  'key-refusal',
  'recipient',
  'evidence-key',
  'successor',
  'refresh',
] as const;

type PartyFact = Extract<EntryContent, { kind: (typeof PARTY_FACTS)[number] }>;

export function isPartyFact(content: EntryContent): content is PartyFact {
  return PARTY_FACTS.some((kind) => kind === content.kind);
}

export function judgePartyFact(
  state: VaultState,
  content: PartyFact,
  moment: Pick<Moment, 'at' | 'place'>,
): Judgement {
  const { subject, party, result } = partyFactResult(state, content, moment);
  const facts: EntryFacts = { actorId: `party_${party}`, subject };
  return isRefusal(result)
    ? { facts: { ...facts, refusal: result, policy: result.policy } }
    : { state: result, facts };
}

function partyFactResult(
  state: VaultState,
  content: PartyFact,
  moment: Pick<Moment, 'at' | 'place'>,
): { subject: Subject; party: number; result: VaultState | Refusal } {
  if (content.kind === 'successor') {
    const { confirmation } = content;
    const subject = { resourceType: 'party', resourceIds: [`party_${confirmation.replaced}`] };
    const result = applySuccessor(state, confirmation, moment);
    return { subject, party: confirmation.party, result };
  }
  if (content.kind === 'refresh') return refreshResult(state, content.refreshed);
  if (content.kind === 'evidence-key') {
    const { evidenceKey } = content;
    const subject = { resourceType: 'evidence_key', resourceIds: [evidenceKey.evidenceKeyId] };
    return { subject, party: evidenceKey.party, result: applyEvidenceKey(state, evidenceKey) };
  }
  if (content.kind === 'recipient') {
    const { recipient } = content;
    const subject = { resourceType: 'import_recipient', resourceIds: [recipient.recipientId] };
    return { subject, party: recipient.party, result: applyRecipient(state, recipient, moment.at) };
  }
  const fact = content.kind === 'attestation' ? content.attestation : content.refusal;
  const subject = { resourceType: 'key', resourceIds: [fact.keyId], keyIds: [fact.keyId] };
  const result =
    content.kind === 'attestation'
      ? applyKeyAttestation(state, content.attestation, moment.at)
      : applyKeyRefusal(state, content.refusal, moment.at);
  return { subject, party: fact.party, result };
}

/** The subject names the keys that have new shares now: those that wait for another party are as they were. */
function refreshResult(
  state: VaultState,
  fact: Extract<PartyFact, { kind: 'refresh' }>['refreshed'],
): ReturnType<typeof partyFactResult> {
  const refreshed = applyRefresh(state, fact);
  const keyIds = isRefusal(refreshed) ? [] : refreshed.keyIds;
  const subject = { resourceType: 'key', resourceIds: keyIds, keyIds };
  const result = isRefusal(refreshed) ? refreshed : refreshed.state;
  return { subject, party: fact.party, result };
}
