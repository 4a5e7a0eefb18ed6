import type { Alarms } from '../alarms/alarms.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';

/**
 * Raises an alarm for every entry that met a fault of the judging code. It leaves out the entry itself, which may hold
 * anything.
 */
export function raiseUnjudged(outcomes: readonly EntryOutcome[], alarms: Alarms): void {
  for (const { seq, fault, decided = [] } of outcomes) {
    const thrown = fault ?? decided.find((one) => one.fault !== undefined)?.fault;
    if (thrown === undefined) continue;
    alarms.raise({
      kind: 'entry_not_judged',
      reason: `entry ${seq} could not be judged and was refused: ${thrown}`,
    });
  }
}
