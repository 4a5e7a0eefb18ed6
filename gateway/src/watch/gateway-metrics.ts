import {
  alarmMetrics,
  ledgerMetrics,
  poolMetrics,
  priceMetrics,
} from '@countersign/runtime/metrics/common-metrics.js';
import {
  single,
  type Metric,
  type MetricSet,
  type Sample,
} from '@countersign/runtime/metrics/metrics.js';
import { partyOfQueue } from '@countersign/runtime/jobs/names.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import type { RequestTally } from '../http/request-tally.js';
import type { FigureSources } from './figure-sources.js';

/** Labels are rows of the routing table, statuses, operations, reasons and parties: their number is bounded. */
export function gatewayMetrics(sources: FigureSources): MetricSet[] {
  const { follower, pool, prices, alarms, now } = sources;
  return [
    requestMetrics(sources),
    signingMetrics(sources),
    partyMetrics(sources),
    pairMetrics(sources),
    queueMetrics(sources),
    alarmMetrics(alarms),
    ledgerMetrics(follower),
    poolMetrics({ gateway: pool }),
    priceMetrics(prices, now),
  ];
}

function requestMetrics({ tally, limits }: FigureSources): MetricSet {
  return {
    counters: [
      {
        name: 'countersign_http_requests_total',
        help: 'Answers by route and status.',
        labels: ['route', 'method', 'code'],
        read: () =>
          tally.routes.flatMap(({ method, path: route, statuses }) =>
            [...statuses].map(([code, count]): Sample => [
              { route, method, code: String(code) },
              count,
            ]),
          ),
      },
      {
        name: 'countersign_refused_total',
        help: 'Requests that were refused or failed, by operation and reason.',
        labels: ['route', 'method', 'reason'],
        read: () =>
          tally.routes.flatMap(({ method, path: route, reasons }) =>
            [...reasons].map(([reason, count]): Sample => [{ route, method, reason }, count]),
          ),
      },
      {
        name: 'countersign_auth_failures_total',
        help: '401, by what did not hold.',
        labels: ['reason'],
        read: () => countsBy('reason', tally.authenticationFaults),
      },
      {
        name: 'countersign_replay_rejected_total',
        help: 'Requests that were used before.',
        read: () => single(tally.authenticationFaults.replay),
      },
      {
        name: 'countersign_rate_limited_total',
        help: '504 for asking too often, by which limit.',
        labels: ['limit'],
        read: () => countsBy('limit', limits.refused),
      },
    ],
  };
}

function countsBy(label: string, counts: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(counts).map(([word, count]) => [{ [label]: word }, count]);
}

function signingMetrics({ tally, dispatcher, now }: FigureSources): MetricSet {
  const requests = (name: string, help: string, value: () => number): Metric => ({
    name,
    help,
    read: () => single(value()),
  });
  return {
    latencies: [
      {
        name: 'countersign_sign_duration_seconds',
        help: 'Time from the head of a request for a signature to its answer.',
        latency: tally.signing,
      },
    ],
    counters: [
      {
        name: 'countersign_sign_requests_total',
        help: 'Requests for signatures that have ended, by operation and outcome.',
        labels: ['kind', 'result'],
        read: () => signResults(tally),
      },
    ],
    gauges: [
      requests(
        'countersign_sign_waiting',
        'Requests that wait for a batch.',
        () => dispatcher.figures.waiting,
      ),
      requests(
        'countersign_sign_under_way',
        'Requests in batches that parties are working on.',
        () => dispatcher.figures.underWay,
      ),
      requests(
        'countersign_sign_oldest_seconds',
        'Time for which the oldest request has waited for a batch.',
        () => secondsSince(dispatcher.figures.oldestAt, now()),
      ),
    ],
  };
}

function signResults({ routes }: RequestTally): Sample[] {
  return routes.flatMap(({ signs: kind, results }) =>
    kind === undefined
      ? []
      : [...results].map(([result, count]): Sample => [{ kind, result }, count]),
  );
}

/** Replicas are counted and not named: their operator chooses the names, and a hostile party can invent any. */
function partyMetrics({ presence, follower, governance }: FigureSources): MetricSet {
  return {
    gauges: [
      byParty(
        'countersign_party_replicas',
        'Replicas that are alive.',
        (party) => presence.replicas.filter((replica) => replica.party === party).length,
      ),
      byParty(
        'countersign_party_head_seq',
        'Newest head that the party countersigned.',
        (party) => follower.view.countersignatures.get(party)?.seq ?? 0,
      ),
      byParty(
        'countersign_party_obeys_seq',
        'Sequence number up to which the party obeys freezes.',
        (party) => follower.view.acknowledged.get(party) ?? 0,
      ),
      {
        name: 'countersign_governance_waiting_seconds',
        help: 'Time for which the oldest change has waited for two parties.',
        read: () => single((governance.waitingMs ?? 0) / 1_000),
      },
    ],
  };
}

function byParty(name: string, help: string, value: (party: PartyNumber) => number): Metric {
  return {
    name,
    help,
    labels: ['party'],
    read: () => PARTY_NUMBERS.map((party) => [{ party: String(party) }, value(party)]),
  };
}

function pairMetrics({ presence }: FigureSources): MetricSet {
  return {
    gauges: [
      {
        name: 'countersign_pair_breaker_open',
        help: '1: no batches are sent to this pair of parties for now, because they were not answered in time. Nobody is accused.',
        labels: ['pair'],
        read: () =>
          presence.pairs.map(({ parties, breaker }) => [
            { pair: parties.join('-') },
            breaker === 'closed' ? 0 : 1,
          ]),
      },
    ],
    counters: [
      {
        name: 'countersign_batches_total',
        help: 'Batches by pair of parties and outcome.',
        labels: ['pair', 'end'],
        read: () =>
          presence.pairs.flatMap(({ parties, counts }) =>
            Object.entries(counts).map(([end, count]): Sample => [
              { pair: parties.join('-'), end },
              count,
            ]),
          ),
      },
    ],
  };
}

function queueMetrics({ queues, now }: FigureSources): MetricSet {
  const queuesOf = (party: PartyNumber) =>
    queues.figures.filter(({ name }) => partyOfQueue(name)?.party === party);
  const oldestOf = (party: PartyNumber) =>
    Math.max(0, ...queuesOf(party).map(({ oldestAt }) => secondsSince(oldestAt, now())));
  return {
    gauges: [
      {
        name: 'countersign_queue_jobs',
        help: 'Batches in the queues of a party that no replica has taken.',
        labels: ['queue', 'state'],
        read: () =>
          PARTY_NUMBERS.map((party) => [
            { queue: `party_${party}`, state: 'waiting' },
            queuesOf(party).reduce((sum, { waiting }) => sum + waiting, 0),
          ]),
      },
      {
        name: 'countersign_queue_oldest_age_seconds',
        help: 'Time for which the oldest of them has waited.',
        labels: ['queue'],
        read: () => PARTY_NUMBERS.map((party) => [{ queue: `party_${party}` }, oldestOf(party)]),
      },
    ],
  };
}

function secondsSince(at: number | undefined, now: number): number {
  return at === undefined ? 0 : Math.max(0, now - at) / 1_000;
}
