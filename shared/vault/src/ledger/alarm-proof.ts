import { alarmMessage, type AlarmStatement } from '@countersign/core/alarm-statement.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { isSignedByParty } from './party-statement.js';
import type { VaultState } from '../state/state.js';

/** Whether the accusing party signed the alarm; null if a gateway raised it, which has no key. */
export function isProvenAlarm(
  statement: AlarmStatement,
  signature: Buffer | null,
  { parties, genesisHash }: Pick<VaultState, 'parties' | 'genesisHash'>,
): boolean | null {
  if (statement.accuser === 'gateway') return null;
  const party = PARTY_NUMBERS.find((one) => statement.accuser === `party_${one}`);
  if (party === undefined || signature === null) return false;
  return isSignedByParty(parties, party, alarmMessage(statement, genesisHash), signature);
}
