import { alarmMessage, type AlarmWord } from '@countersign/core/alarm-word.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { isSignedByParty } from './party-word.js';
import type { VaultState } from '../state/state.js';

/** Whether the accusing party signed the alarm; null for one of a gateway, which has no key. */
export function isProvenAlarm(
  word: AlarmWord,
  signature: Buffer | null,
  { parties, genesisHash }: Pick<VaultState, 'parties' | 'genesisHash'>,
): boolean | null {
  if (word.accuser === 'gateway') return null;
  const party = PARTY_NUMBERS.find((one) => word.accuser === `party_${one}`);
  if (party === undefined || signature === null) return false;
  return isSignedByParty(parties, party, alarmMessage(word, genesisHash), signature);
}
