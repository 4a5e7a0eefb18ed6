/** What a node finds that no honest node does: told once, to whoever answers for the vault. */
import type { AlarmKind } from '@countersign/core/alarm-statement.js';
import type { Bytes } from '@countersign/core/bytes.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { Logger } from '../process/logger.js';

export interface Alarm {
  readonly kind: AlarmKind;
  /** Whom it accuses; undefined where that cannot be told. */
  readonly party?: PartyNumber | undefined;
  readonly requestId?: string | undefined;
  /** Text for whoever may see the vault's resources, without secrets. */
  readonly reason: string;
  /** What was sent, as it was sent, without secrets. */
  readonly evidence?: Bytes | undefined;
  /** The same thing is found again at each start: it is one alarm. */
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
