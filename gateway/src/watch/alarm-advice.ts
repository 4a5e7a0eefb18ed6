import type { AlarmKind } from '@countersign/core/alarm-statement.js';

const LOOK_AT_PARTY =
  'Look at the host of that party; if it repeats, stop the party: the other two sign on.';

/** One sentence for each kind; docs/how-to/runbooks/ has a page for each. */
export const ALARM_ADVICE: Readonly<Record<AlarmKind | 'unknown', string>> = {
  party_misbehaved: LOOK_AT_PARTY,
  party_floods: LOOK_AT_PARTY,
  forged_job:
    'Find out who writes to Redis besides gateways; during a rotation of the evidence key, finish it.',
  forged_result: 'Look at Redis, and at the party that wrote the result.',
  unreadable_row: 'Find out who holds the database role that wrote the row.',
  other_history: 'Compare the heads of all nodes: that party was shown another ledger, or lies.',
  ledger_fault:
    'Compare the heads of all nodes, restore the database to what two parties pinned, then start the node again.',
  records_lost: 'Restore the records of that party: it does not sign without them.',
  records_unwritable:
    'Look at PostgreSQL, and at the way of that party to it. It goes on by itself once it can write; if the alarm says that another process has its name, give each replica a REPLICA of its own.',
  pin_unwritable:
    'Make room on the disk under the pin file, as the reason says: the node goes on by itself.',
  entry_not_judged:
    'Nothing is lost: the entry was refused on every node. Report its number to the makers of this release.',
  clock_differs:
    'Compare the clocks of all hosts with a time server, and set those that are wrong.',
  governance_stuck:
    'Start the primary replicas of at least two parties again, and compare their clocks.',
  unknown: 'Bring this gateway up to date: the alarm is of another release.',
};
