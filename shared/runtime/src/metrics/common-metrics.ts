/** Metrics of every process that follows the ledger. */
import type pg from 'pg';
import { FREEZE_SCOPES } from '@countersign/vault/state/freezes.js';
import { allFreezes } from '@countersign/vault/views/all-freezes.js';
import { countWaitingRequests } from '@countersign/vault/views/waiting-requests.js';
import type { RecordedAlarms } from '../alarms/recorded-alarms.js';
import type { LedgerFollower } from '../ledger/ledger-follower.js';
import type { PriceFeed } from '../prices/price-feed.js';
import { single, type Metric, type MetricSet } from './metrics.js';

export const poolMetrics = (pools: Readonly<Record<string, pg.Pool>>): MetricSet => ({
  gauges: [
    {
      name: 'countersign_database_connections',
      help: 'Connections of a pool: open, idle; and queries that wait for one.',
      labels: ['pool', 'state'],
      read: () =>
        Object.entries(pools).flatMap(([pool, { totalCount, idleCount, waitingCount }]) => [
          [{ pool, state: 'open' }, totalCount],
          [{ pool, state: 'idle' }, idleCount],
          [{ pool, state: 'waiting' }, waitingCount],
        ]),
    },
  ],
});

/** Every kind is there from the start: a rise from no value would not be seen. */
export const alarmMetrics = (alarms: Pick<RecordedAlarms, 'accuser' | 'counts'>): MetricSet => ({
  counters: [
    {
      name: 'countersign_alarms_total',
      help: 'Alarms that this process has raised, by kind; who raises them.',
      labels: ['accuser', 'kind'],
      read: () =>
        Object.entries(alarms.counts).map(([kind, count]) => [
          { accuser: alarms.accuser, kind },
          count,
        ]),
    },
  ],
});

export function ledgerMetrics(follower: LedgerFollower): MetricSet {
  const gauge = (name: string, help: string, value: () => number): Metric => ({
    name: `countersign_ledger_${name}`,
    help,
    read: () => single(value()),
  });
  return {
    gauges: [
      gauge(
        'seq',
        'Sequence number of the head that this process has folded.',
        () => follower.state.seq,
      ),
      gauge('rules_version', 'By which the newest entry was judged.', () => follower.view.rules),
      gauge(
        'pending_entries',
        'Entries that wait for two countersignatures.',
        () => follower.view.pending.length,
      ),
      gauge('pending_requests', 'Requests that wait for approvals or a delay.', () =>
        countWaitingRequests(follower.state),
      ),
      gauge(
        'confirmed_age_seconds',
        'Since the database last showed that nothing lies beyond the head.',
        () => follower.confirmedMsAgo / 1_000,
      ),
      gauge(
        'stopped',
        '1: this process has stopped following the ledger and has to be looked at.',
        () => (follower.fault === undefined ? 0 : 1),
      ),
      {
        name: 'countersign_frozen',
        help: 'Freezes in force, by what they freeze.',
        labels: ['scope'],
        read() {
          const freezes = allFreezes(follower.view.optimistic);
          return FREEZE_SCOPES.map((scope) => [
            { scope },
            freezes.filter((freeze) => freeze.scope === scope).length,
          ]);
        },
      },
    ],
  };
}

/** Relays have the names of `PRICES_FILE`, which the operator wrote. `now`: ms. */
export const priceMetrics = (
  prices: Pick<PriceFeed, 'state' | 'newest'>,
  now: () => number,
): MetricSet => ({
  gauges: [
    {
      name: 'countersign_price_age_seconds',
      help: 'Age of the newest snapshot of prices of a relay; absent where none was seen.',
      labels: ['source'],
      read: () =>
        prices
          .newest()
          .flatMap(({ relay: source, at }) =>
            at === undefined ? [] : [[{ source }, Math.max(0, now() - at) / 1_000] as const],
          ),
    },
    {
      name: 'countersign_prices_ok',
      help: '1: enough relays have fresh prices, or none is configured.',
      read: () => single(prices.state() === 'unavailable' ? 0 : 1),
    },
  ],
});
