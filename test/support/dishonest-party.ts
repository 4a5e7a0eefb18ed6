/** One party that has gone over to the attacker: it signs whatever it is asked to, with its real identity key. */
import { sign } from 'node:crypto';
import { recipientMessage } from '@countersign/core/import-recipient.js';
import { evidenceKeyMessage } from '@countersign/core/evidence-seal.js';
import { NEWEST_RULES } from '@countersign/vault/ledger/rules.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import {
  acknowledgementMessage,
  countersignatureMessage,
  type Acknowledgement,
  type Countersignature,
} from '@countersign/core/party-statements.js';
import { type EntryRow, type StatementOf } from '@countersign/vault/ledger/entry.js';
import {
  encodeAcknowledgement,
  encodeCountersignature,
  encodeEvidenceKey,
  encodeRecipient,
} from '@countersign/vault/ledger/write-entry.js';
import { privateKeyOfSeed } from './ledger-builder.ts';
import { partySecret } from './secret-sweep.ts';
import type { TestVault } from './test-vault.ts';

/** What it writes are bodies of entries; nothing is appended. */
export interface DishonestParty {
  countersign(
    head: Pick<EntryRow, 'seq' | 'hash'>,
    statement?: Partial<Countersignature>,
    appendedAt?: number,
  ): Buffer;
  acknowledge(head: Pick<EntryRow, 'seq' | 'hash'>, statement?: Partial<Acknowledgement>): Buffer;
  recipient(fact: Omit<StatementOf<'recipient'>, 'party' | 'signature'>): Buffer;
  /** `evidenceKeyId`: 8 bytes, hex. */
  evidenceKey(evidenceKeyId: string): Buffer;
}

/** As the honest ones name them, once all three have spoken. */
const RULES_NAMED = { rules: NEWEST_RULES, newestRules: NEWEST_RULES };

export function dishonestParty(
  vault: TestVault,
  party: PartyNumber,
  genesisHash: string,
): DishonestParty {
  const privateKey = privateKeyOfSeed(partySecret(vault, party, 'identity'));
  const signed = (message: Uint8Array) => sign(null, message, privateKey);
  return {
    countersign({ seq, hash }, given = {}, appendedAt = Date.now()) {
      const common = { party, seq, hash, at: Date.now(), ...RULES_NAMED };
      const statement: Countersignature = { ...common, ...given };
      const signature = signed(countersignatureMessage(statement, genesisHash));
      return encodeCountersignature(appendedAt, { ...statement, signature });
    },
    acknowledge({ seq, hash }, given = {}) {
      const statement: Acknowledgement = { party, seq, hash, ...given };
      const signature = signed(acknowledgementMessage(statement, genesisHash));
      return encodeAcknowledgement(Date.now(), { ...statement, signature });
    },
    recipient(given) {
      const fact = { party, ...given };
      const signature = signed(recipientMessage(fact, genesisHash));
      return encodeRecipient(Date.now(), { ...fact, signature });
    },
    evidenceKey(evidenceKeyId) {
      const signature = signed(evidenceKeyMessage({ party, evidenceKeyId }, genesisHash));
      return encodeEvidenceKey(Date.now(), { party, evidenceKeyId, signature });
    },
  };
}
