import {
  alarmMetrics,
  ledgerMetrics,
  poolMetrics,
  priceMetrics,
} from '@countersign/runtime/metrics/common-metrics.js';
import { single, type MetricSet, type Sample } from '@countersign/runtime/metrics/metrics.js';
import type { PartyGround } from './open-party.js';
import type { RecordedAlarms } from '@countersign/runtime/alarms/recorded-alarms.js';
import type { PriceFeed } from '@countersign/runtime/prices/price-feed.js';
import type { HeadTrust } from './party/head-trust.js';
import type { KekWatch } from './party/kek-watch.js';
import type { SignTally } from './signing/sign-tally.js';
import type { OpenThreadPools } from './threads/thread-pools.js';

export interface SignerNumbers extends Pick<PartyGround, 'follower' | 'pool' | 'recordPool'> {
  readonly isPrimary: boolean;
  readonly trust: Pick<HeadTrust, 'isFresh'>;
  readonly kek: Pick<KekWatch, 'isOpenable'>;
  readonly threads: Pick<OpenThreadPools, 'figures'>;
  readonly tally: SignTally;
  readonly recordedAlarms: Pick<RecordedAlarms, 'accuser' | 'counts'>;
  readonly prices: Pick<PriceFeed, 'state' | 'newest'>;
  readonly now: () => number;
}

export function signerMetrics(numbers: SignerNumbers): MetricSet[] {
  const { follower, pool, recordPool, prices, recordedAlarms, now } = numbers;
  return [
    signingNumbers(numbers),
    stateNumbers(numbers),
    alarmMetrics(recordedAlarms),
    ledgerMetrics(follower),
    poolMetrics({ party: pool, records: recordPool }),
    priceMetrics(prices, now),
  ];
}

function signingNumbers({ tally }: SignerNumbers): MetricSet {
  const byWord = (label: string, counts: Iterable<readonly [string, number]>): Sample[] =>
    [...counts].map(([word, count]) => [{ [label]: word }, count]);
  return {
    counters: [
      {
        name: 'countersign_signer_batches_total',
        help: 'Batches that came to this replica, by its role in them.',
        labels: ['role'],
        read: () => byWord('role', Object.entries(tally.batches)),
      },
      {
        name: 'countersign_signer_outcomes_total',
        help: 'Requests of batches that this replica led: signed, to be tried again, or why they were denied.',
        labels: ['outcome'],
        read: () => byWord('outcome', tally.outcomes),
      },
    ],
    latencies: [
      {
        name: 'countersign_signer_lead_duration_seconds',
        help: 'Time from the contribution of the partner to the outcomes of the batch.',
        latency: tally.leading,
      },
    ],
  };
}

function stateNumbers({ isPrimary, trust, follower, kek, threads }: SignerNumbers): MetricSet {
  return {
    gauges: [
      {
        name: 'countersign_signer_primary',
        help: '1: this replica is the primary replica of its party.',
        read: () => single(isPrimary ? 1 : 0),
      },
      {
        name: 'countersign_signer_ready',
        help: '1: this replica has its lease: it follows the ledger, and has heard of its primary replica.',
        read: () => single(follower.fault === undefined && trust.isFresh ? 1 : 0),
      },
      {
        name: 'countersign_signer_kek_openable',
        help: '0: the KEK did not open when it was last tried, so a start of this replica would fail.',
        read: () => single(kek.isOpenable ? 1 : 0),
      },
      {
        name: 'countersign_signer_threads',
        help: 'Threads of a pool, and tasks that wait for one.',
        labels: ['pool', 'state'],
        read: () =>
          threads.figures.flatMap(({ pool, threads: count, waiting }): Sample[] => [
            [{ pool, state: 'started' }, count],
            [{ pool, state: 'waiting' }, waiting],
          ]),
      },
    ],
  };
}
