import type { StoredAlarm } from '@countersign/runtime/alarms/stored-alarm.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import { isProvenAlarm } from '@countersign/vault/ledger/alarm-proof.js';
import { eventId, type VaultEvent } from './vault-event.js';

/** It leaves out the reason and the evidence, which `GET /v1/alarms` has. */
export function eventOfAlarm(
  { seq, statement, signature }: StoredAlarm,
  vault: Pick<VaultState, 'parties' | 'genesisHash'>,
): VaultEvent {
  const { id, accuser, kind, party, at, requestId, count } = statement;
  return {
    id: eventId('alarm.raised', accuser, id),
    type: 'alarm.raised',
    at,
    data: {
      alarm_id: id,
      kind,
      accuser,
      party,
      request_id: requestId,
      count,
      is_verified: isProvenAlarm(statement, signature, vault),
    },
    source: 'alarm',
    sourceSeq: Number(seq),
  };
}
