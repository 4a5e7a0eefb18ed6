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
import type { EntryContent } from './entry.js';
import type { EntryFacts } from './entry-outcome.js';
import type { Judgement } from './judging.js';

type PartyFact = Extract<
  EntryContent,
  { kind: 'attestation' | 'key-refusal' | 'recipient' | 'evidence-key' }
>;

export function isPartyFact(content: EntryContent): content is PartyFact {
  const { kind } = content;
  return (
    kind === 'attestation' ||
    kind === 'key-refusal' ||
    kind === 'recipient' ||
    kind === 'evidence-key'
  );
}

/** `at`: time of judging, ms. */
export function judgePartyFact(state: VaultState, content: PartyFact, at: number): Judgement {
  const { subject, party, result } = partyFactResult(state, content, at);
  const facts: EntryFacts = { actorId: `party_${party}`, subject };
  return isRefusal(result)
    ? { facts: { ...facts, refusal: result, policy: result.policy } }
    : { state: result, facts };
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
