/**
 * Numbers of this process as Prometheus reads them. What happens is counted in plain numbers, whether or not anybody
 * reads them; they become metrics when somebody looks. Labels are words of this program, never what a caller or
 * another process says: so there are ever only so many of them, and none holds a name, a key or a secret.
 */
import type { Registry } from 'prom-client';
import { LATENCY_BOUNDS_MS, totalOf, type LatencyHistogram } from './latency-histogram.js';

export type Labels = Readonly<Record<string, string>>;
/** A value with the words that it is of. */
export type Sample = readonly [Labels, number];

export interface Metric {
  /** `countersign_...`; `_total` at the end of what only rises. */
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** What it is now. */
  read(): Iterable<Sample>;
}

export interface LatencyMetric {
  /** `..._seconds` */
  readonly name: string;
  readonly help: string;
  readonly latency: Pick<LatencyHistogram, 'counts' | 'sumMs'>;
}

export interface MetricSet {
  readonly gauges?: readonly Metric[];
  readonly counters?: readonly Metric[];
  readonly latencies?: readonly LatencyMetric[];
}

/** A single value without labels. */
export const single = (value: number): Iterable<Sample> => [[{}, value]];

/** Loads the library only here: a process whose metrics nobody reads does without. */
export async function createMetrics(sets: readonly MetricSet[]): Promise<Registry> {
  const { Counter, Gauge, Registry, collectDefaultMetrics } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 50 });
  const common = { registers: [registry] };
  for (const { gauges = [], counters = [], latencies = [] } of sets) {
    for (const { name, help, labels = [], read } of gauges) {
      const gauge = new Gauge({
        ...common,
        name,
        help,
        labelNames: [...labels],
        collect() {
          gauge.reset();
          for (const [words, value] of read()) gauge.set(words, value);
        },
      });
    }
    for (const { name, help, labels = [], read } of counters) {
      const counter = new Counter({
        ...common,
        name,
        help,
        labelNames: [...labels],
        collect() {
          counter.reset();
          for (const [words, value] of read()) counter.inc(words, value);
        },
      });
    }
    for (const latency of latencies) registry.registerMetric(histogramOf(latency));
  }
  return registry;
}

/** As the registry asks for a metric's values: the library has no histogram that is set from counts. */
function histogramOf({ name, help, latency }: LatencyMetric) {
  const histogram = {
    name,
    async get() {
      const { counts, sumMs } = latency;
      let below = 0;
      const buckets = LATENCY_BOUNDS_MS.map((bound, index) => {
        below += counts[index]!;
        return { metricName: `${name}_bucket`, labels: { le: bound / 1_000 }, value: below };
      });
      const total = totalOf(counts);
      const values = [
        ...buckets,
        { metricName: `${name}_bucket`, labels: { le: '+Inf' }, value: total },
        { metricName: `${name}_sum`, labels: {}, value: sumMs / 1_000 },
        { metricName: `${name}_count`, labels: {}, value: total },
      ];
      return { name, help, type: 'histogram', values, aggregator: 'sum' };
    },
    reset: () => undefined,
  };
  return histogram as unknown as Parameters<Registry['registerMetric']>[0];
}
