import { ALARM_KINDS, type Accuser } from '@countersign/core/alarm-statement.js';
import type { RecordedAlarms } from '@countersign/runtime/alarms/recorded-alarms.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import {
  EMPTY_STATE,
  type PendingRequest,
  type VaultState,
} from '@countersign/vault/state/state.js';
import { insertRow } from '@countersign/vault/state/table.js';

/** A follower of which every figure is another number: what is taken for another one shows. `now`: ms. */
export function followedLedger(now: number): LedgerFollower {
  const statuses = ['waiting', 'waiting', 'delayed', 'released', 'applied', 'expired'];
  const held = statuses.map(
    (status, index) => ({ id: `${index}`, status, call: {} }) as unknown as PendingRequest,
  );
  const pendingRequests = held.reduce(
    (table, row) => insertRow(table, row),
    EMPTY_STATE.pendingRequests,
  );
  const freeze = { at: now - 9, by: 'a', reason: undefined };
  const state = { ...EMPTY_STATE, seq: 41, pendingRequests };
  const optimistic = {
    ...state,
    frozenVenues: new Map([
      ['okx', freeze],
      ['kraken', freeze],
    ]),
  } as unknown as VaultState;
  return {
    state,
    view: { state, optimistic, pending: [{}, {}], rules: 1 },
    confirmedMsAgo: 1_250,
    fault: undefined,
  } as unknown as LedgerFollower;
}

/** What `ledgerMetrics` makes of it. */
export const FOLLOWED_LINES = [
  'countersign_frozen{scope="key"} 0',
  'countersign_frozen{scope="system"} 0',
  'countersign_frozen{scope="user"} 0',
  'countersign_frozen{scope="vault"} 0',
  'countersign_frozen{scope="venue"} 2',
  'countersign_frozen{scope="wallet"} 0',
  'countersign_ledger_confirmed_age_seconds 1.25',
  'countersign_ledger_pending_requests 3',
  'countersign_ledger_pending_entries 2',
  'countersign_ledger_rules_version 1',
  'countersign_ledger_seq 41',
  'countersign_ledger_stopped 0',
];

/** A process that raised one alarm of each kind, and a second one about a flood. */
export function raisedAlarms(accuser: Accuser): Pick<RecordedAlarms, 'accuser' | 'counts'> {
  const counts = Object.fromEntries(ALARM_KINDS.map((kind) => [kind, 1]));
  return { accuser, counts: { ...counts, party_floods: 2 } as RecordedAlarms['counts'] };
}

/** What `alarmMetrics` makes of them. */
export const alarmLines = (accuser: Accuser): string[] =>
  ALARM_KINDS.map(
    (kind) =>
      `countersign_alarms_total{accuser="${accuser}",kind="${kind}"} ${kind === 'party_floods' ? 2 : 1}`,
  );
