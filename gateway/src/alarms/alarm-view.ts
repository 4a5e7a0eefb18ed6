import type { AlarmView } from '@countersign/api/alarm-schema.js';
import { ALARM_KINDS, alarmMessage, type AlarmWord } from '@countersign/core/alarm-word.js';
import { toBase64 } from '@countersign/core/bytes.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { isSignedByParty } from '@countersign/vault/ledger/party-word.js';
import type { VaultState } from '@countersign/vault/state/state.js';

/** A row of the table, whoever wrote it. */
export interface StoredAlarm {
  readonly word: AlarmWord;
  readonly signature: Buffer | null;
}

/** Never throws: what somebody wrote into one row hides no other. */
export function alarmView(
  { word, signature }: StoredAlarm,
  vault: Pick<VaultState, 'parties' | 'genesisHash'>,
): AlarmView {
  const { id, accuser, party, at, requestId, reason, count, evidence, evidenceBytes } = word;
  return {
    id,
    kind: ALARM_KINDS.find((kind) => kind === word.kind) ?? 'unknown',
    at: new Date(at).toISOString(),
    accuser,
    party,
    request_id: requestId,
    reason,
    count,
    evidence: evidence === null ? null : toBase64(evidence),
    evidence_bytes: evidenceBytes,
    signature: signature === null ? null : toBase64(signature),
    is_verified: isVerified(word, signature, vault),
  };
}

function isVerified(
  word: AlarmWord,
  signature: Buffer | null,
  { parties, genesisHash }: Pick<VaultState, 'parties' | 'genesisHash'>,
): boolean | null {
  if (word.accuser === 'gateway') return null;
  const party = PARTY_NUMBERS.find((one) => word.accuser === `party_${one}`);
  if (party === undefined || signature === null) return false;
  return isSignedByParty(parties, party, alarmMessage(word, genesisHash), signature);
}
