/**
 * Handles messages that are not taken. Whoever can publish can make any number of them, so they accuse nobody and cost
 * only a line of the log now and then, with a count. What a party is proven to have sent accuses it.
 */
import type { AlarmKind } from '@countersign/core/alarm-statement.js';
import type { Alarms } from '@countersign/runtime/alarms/alarms.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { Logger } from '@countersign/runtime/process/logger.js';

const LOG_EVERY_MS = 10_000;

export interface RefusalsDeps {
  readonly logger: Pick<Logger, 'warn'>;
  readonly alarms: Alarms;
  readonly now: () => number;
}

export interface Refusals {
  /** Logs a refusal that accuses nobody. */
  refuse(reason: string): void;
  accuse(kind: AlarmKind, party: PartyNumber, reason: string): void;
}

export function createRefusals({ logger, alarms, now }: RefusalsDeps): Refusals {
  let count = 0;
  let loggedAt = -Infinity;
  return {
    refuse(reason) {
      count += 1;
      if (now() - loggedAt < LOG_EVERY_MS) return;
      loggedAt = now();
      logger.warn({ event: 'party_message_refused', reason, count }, 'messages dropped');
      count = 0;
    },
    accuse: (kind, party, reason) => alarms.raise({ kind, party, reason }),
  };
}
