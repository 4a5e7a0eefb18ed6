import { createMetrics, type MetricSet } from '@countersign/runtime/metrics/metrics.js';

/** What Prometheus reads of a process's own numbers, sorted; of a histogram without its buckets. */
export async function metricLines(sets: readonly MetricSet[]): Promise<string[]> {
  const text = await (await createMetrics(sets)).metrics();
  return text
    .split('\n')
    .filter((line) => line.startsWith('countersign_') && !line.includes('_bucket{'))
    .toSorted();
}
