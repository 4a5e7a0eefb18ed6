import type { AlarmView } from '@countersign/api/alarm-schema.js';
import { ALARM_KINDS } from '@countersign/core/alarm-statement.js';
import { toBase64 } from '@countersign/core/bytes.js';
import type { StoredAlarm } from '@countersign/runtime/alarms/stored-alarm.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import { isProvenAlarm } from '@countersign/vault/ledger/alarm-proof.js';

/** Never throws: a malformed row hides no other. */
export function alarmView(
  { statement, signature }: Omit<StoredAlarm, 'seq'>,
  vault: Pick<VaultState, 'parties' | 'genesisHash'>,
): AlarmView {
  const { id, accuser, party, at, requestId, reason, count, evidence, evidenceBytes } = statement;
  return {
    id,
    kind: ALARM_KINDS.find((kind) => kind === statement.kind) ?? 'unknown',
    at: new Date(at).toISOString(),
    accuser,
    party,
    request_id: requestId,
    reason,
    count,
    evidence: evidence === null ? null : toBase64(evidence),
    evidence_bytes: evidenceBytes,
    signature: signature === null ? null : toBase64(signature),
    is_verified: isProvenAlarm(statement, signature, vault),
  };
}
