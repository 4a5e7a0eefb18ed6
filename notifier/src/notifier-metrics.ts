import { ledgerMetrics, poolMetrics } from '@countersign/runtime/metrics/common-metrics.js';
import { single, type MetricSet } from '@countersign/runtime/metrics/metrics.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type pg from 'pg';
import type { Notifier } from './notifier.js';

export interface NotifierNumbers {
  readonly notifier: Pick<Notifier, 'figures'>;
  readonly follower: LedgerFollower;
  readonly pool: pg.Pool;
  /** The notifier's monotonic clock. */
  readonly elapsed: () => number;
}

export function notifierMetrics(numbers: NotifierNumbers): MetricSet[] {
  const { notifier, follower, pool, elapsed } = numbers;
  const startedAt = elapsed();
  return [
    {
      gauges: [
        {
          name: 'countersign_notifier_lag_seconds',
          help: 'Time since the notifier last found all new events and began to send those due.',
          read: () => single((elapsed() - (notifier.figures.lookedAt ?? startedAt)) / 1_000),
        },
        {
          name: 'countersign_notifier_due_webhooks',
          help: 'Webhooks that had events to send then.',
          read: () => single(notifier.figures.due),
        },
      ],
    },
    ledgerMetrics(follower),
    poolMetrics({ notifier: pool }),
  ];
}
