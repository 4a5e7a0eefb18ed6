import { single, type MetricSet } from '@countersign/runtime/metrics/metrics.js';
import type { PriceRelay } from './price-relay.js';

/** `now`: ms. */
export function relayMetrics(relay: Pick<PriceRelay, 'published'>, now: () => number): MetricSet {
  const startedAt = now();
  return {
    gauges: [
      {
        name: 'countersign_relay_published_age_seconds',
        help: 'Time since prices were published, or since the start.',
        read: () => single((now() - (relay.published?.at ?? startedAt)) / 1_000),
      },
      {
        name: 'countersign_relay_sources',
        help: 'Sources that answered when prices were published last, and those that did not.',
        labels: ['state'],
        read: () => [
          [{ state: 'answered' }, relay.published?.answered ?? 0],
          [{ state: 'failed' }, relay.published?.failed ?? 0],
        ],
      },
      {
        name: 'countersign_relay_prices',
        help: 'Prices that were published last, and those that sources did not agree on.',
        labels: ['state'],
        read: () => [
          [{ state: 'published' }, relay.published?.prices ?? 0],
          [{ state: 'left_out' }, relay.published?.leftOut ?? 0],
        ],
      },
    ],
  };
}
