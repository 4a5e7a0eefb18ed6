/** Facts that a party signed: about keys, import recipients, evidence keys and other parties. */
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import type { Subject } from '../operations/ledger-operation.js';
import { waitsForShares } from '../state/share-refresh.js';
import type { VaultState } from '../state/state.js';
import {
  applyEvidenceKey,
  applyKeyAttestation,
  applyKeyRefusal,
  applyRecipient,
} from './apply-attestation.js';
import { applyRefresh } from './apply-refresh.js';
import { applySuccessor } from './apply-successor.js';
import type { EntryContent, StatementKind, StatementOf } from './entry.js';
import { applyWithdrawal } from './evidence-key-withdrawal.js';
import type { Judgement, Moment } from './judging.js';

type PartyFactKind = Exclude<StatementKind, 'countersignature' | 'acknowledgement' | 'anchor'>;
export type PartyFact = Extract<EntryContent, { kind: PartyFactKind }>;
type Applying = Pick<Moment, 'at' | 'place'>;

interface Meaning<Kind extends PartyFactKind> {
  apply(state: VaultState, fact: StatementOf<Kind>, moment: Applying): VaultState | Refusal;
  /** `after`: the state before if the fact is refused. */
  about(fact: StatementOf<Kind>, before: VaultState, after: VaultState): Subject;
}

const aboutKeys = (keyIds: readonly string[]) => ({
  resourceType: 'key',
  resourceIds: keyIds,
  keyIds,
});
const aboutKey = ({ keyId }: { readonly keyId: string }) => aboutKeys([keyId]);
const aboutEvidenceKey = ({ evidenceKeyId }: { readonly evidenceKeyId: string }) => ({
  resourceType: 'evidence_key',
  resourceIds: [evidenceKeyId],
});

const MEANINGS: { readonly [Kind in PartyFactKind]: Meaning<Kind> } = {
  attestation: { apply: applyKeyAttestation, about: aboutKey },
  'key-refusal': { apply: applyKeyRefusal, about: aboutKey },
  recipient: {
    apply: applyRecipient,
    about: ({ recipientId }) => ({ resourceType: 'import_recipient', resourceIds: [recipientId] }),
  },
  'evidence-key': { apply: applyEvidenceKey, about: aboutEvidenceKey },
  'evidence-key-withdrawal': { apply: applyWithdrawal, about: aboutEvidenceKey },
  successor: {
    apply: applySuccessor,
    about: ({ replaced }) => ({ resourceType: 'party', resourceIds: [`party_${replaced}`] }),
  },
  refresh: {
    apply: applyRefresh,
    // keys that wait for another party are as they were
    about: ({ keys }, before, after) =>
      aboutKeys([
        ...new Set(
          keys
            .map(({ keyId }) => keyId)
            .filter((id) => waitsForShares(before, id) && !waitsForShares(after, id)),
        ),
      ]),
  },
};

export function isPartyFact(content: EntryContent): content is PartyFact {
  return Object.hasOwn(MEANINGS, content.kind);
}

export function judgePartyFact(state: VaultState, content: PartyFact, moment: Applying): Judgement {
  const { apply, about } = MEANINGS[content.kind] as Meaning<PartyFactKind>;
  const { statement: fact } = content;
  const applied = apply(state, fact as never, moment);
  const actorId = `party_${fact.party}`;
  return isRefusal(applied)
    ? { facts: { actorId, subject: about(fact as never, state, state), refusal: applied } }
    : { state: applied, facts: { actorId, subject: about(fact as never, state, applied) } };
}
