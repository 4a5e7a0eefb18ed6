/**
 * Numbers of this process, for Prometheus. Events are counted in plain numbers, whether or not anybody reads them, and
 * become metrics when somebody looks. Labels are this program's own words, never those of a caller or another process.
 * So their number is bounded, and none holds a name, a key or a secret.
 */
import type { Registry } from 'prom-client';
import { LATENCY_BOUNDS_MS, totalOf, type LatencyHistogram } from './latency-histogram.js';

export type Labels = Readonly<Record<string, string>>;
/** A value with its labels. */
export type Sample = readonly [Labels, number];

export interface Metric {
  /** `countersign_...`, with `_total` at the end if it only rises. */
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** The current values. */
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

/** Loads the library only here, so that a process whose metrics nobody reads does without. */
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

/** Has the form in which the registry asks for values: the library cannot set a histogram from counts. */
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
