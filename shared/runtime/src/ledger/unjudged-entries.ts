import type { Alarms } from '../alarms/alarms.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';

/** Names every entry that found a fault of the code that judges. The entry itself is not told: it may hold anything. */
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
