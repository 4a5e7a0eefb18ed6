/** What a node finds that no honest node does: told once, to whoever answers for the vault. */
import type { Bytes } from '@countersign/core/bytes.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { Logger } from '../process/logger.js';

/** Public words: the log's `event`, and what an alarm is listed under. */
export const ALARM_KINDS = [
  /** A party sent what no honest party sends. */
  'party_misbehaved',
  /** A party has others work for nothing, more than outages explain. */
  'party_wastes_work',
  /** A party sends more than it may. */
  'party_floods',
  /** A batch in a queue that no gateway made. */
  'forged_job',
  /** An answer or a stored result that its lead did not make, or whose signature is wrong. */
  'forged_result',
  /** A stored row that no party writes. */
  'unreadable_row',
  /** A party asks for a second message of a request. */
  'second_message',
] as const;

export type AlarmKind = (typeof ALARM_KINDS)[number];

export interface Alarm {
  readonly kind: AlarmKind;
  /** Whom it accuses; undefined where that cannot be told. */
  readonly party?: PartyNumber | undefined;
  readonly requestId?: string | undefined;
  /** Internal text, without secrets. */
  readonly reason: string;
  /** What was sent, as it was sent, without secrets. */
  readonly evidence?: Bytes | undefined;
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
