/** Findings that no honest node causes: told once, to whoever answers for the vault. */
import type { AlarmKind } from '@countersign/core/alarm-statement.js';
import type { Bytes } from '@countersign/core/bytes.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { Logger } from '../process/logger.js';

export interface Alarm {
  readonly kind: AlarmKind;
  /** The accused; undefined if unknown. */
  readonly party?: PartyNumber | undefined;
  readonly requestId?: string | undefined;
  /** Text for whoever may see the vault's resources, without secrets. */
  readonly reason: string;
  /** The message that was sent, unchanged, without secrets. */
  readonly evidence?: Bytes | undefined;
  /** Whether each start finds the same thing again: it is one alarm. */
  readonly isLasting?: boolean | undefined;
}

export interface Alarms {
  /** Never throws and never waits: an alarm stops no work. */
  raise(alarm: Alarm): void;
}

export function createLoggedAlarms(logger: Logger): Alarms {
  return {
    raise({ kind, party, requestId, reason }) {
      logger.error({ event: kind, party, request_id: requestId, reason }, 'alarm');
    },
  };
}
