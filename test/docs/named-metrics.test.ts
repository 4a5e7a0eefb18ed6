/** What documents and examples say of metrics is so: a rule over a name that nobody has would never fire. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { createMetrics, type MetricSet } from '@countersign/runtime/metrics/metrics.js';
import { gatewayMetrics } from '../../gateway/src/watch/gateway-metrics.ts';
import { relayMetrics } from '../../infra/prices/src/relay-metrics.ts';
import { notifierMetrics } from '../../notifier/src/notifier-metrics.ts';
import { signerMetrics } from '../../signer/src/signer-metrics.ts';
import { codesIn, tableRows } from '../support/page-tables.ts';

const nothing = new Proxy({}, { get: () => nothing }) as never;
/** Nobody reads them here: what they are called is all. */
const numbers = { tally: nothing, limits: nothing, now: () => 0, elapsed: () => 0 } as never;

const SETS: Readonly<Record<string, readonly MetricSet[]>> = {
  gateway: gatewayMetrics(numbers),
  signer: signerMetrics(numbers),
  notifier: notifierMetrics(numbers),
  prices: [relayMetrics(nothing, () => 0)],
};
const LABELLED = Object.values(SETS)
  .flat()
  .flatMap(({ gauges = [], counters = [] }) => [...gauges, ...counters]);

/** As the page has them. */
function rowsOf(process: string): string[] {
  const row = (kind: string, name: string, labels: readonly string[] = []) =>
    [process, kind, name, ...labels].join(' ');
  return SETS[process]!.flatMap(({ gauges = [], counters = [], latencies = [] }) => [
    ...gauges.map(({ name, labels }) => row('gauge', name, labels)),
    ...counters.map(({ name, labels }) => row('counter', name, labels)),
    ...latencies.map(({ name }) => row('histogram', name)),
  ]);
}
const ROWS = Object.keys(SETS).flatMap(rowsOf);
const NAMES = new Set(ROWS.map((row) => row.split(' ')[2]!));

const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const named = (text: string) => [
  ...new Set(
    [...text.matchAll(/\b(?:countersign|nodejs|process)_[a-z0-9_]+/g)].map(([name]) => name),
  ),
];

describe('every metric', () => {
  it.each([
    ['infra/monitoring/alerts.yml', 10],
    ['infra/monitoring/grafana-dashboard.json', 10],
    ['infra/kubernetes/party/party.yaml', 0],
  ])('that %s names is one of some process', async (path, least) => {
    const own = await (await createMetrics([])).metrics();
    const known = (name: string) =>
      NAMES.has(name.replace(/_(bucket|sum|count)$/, '')) || own.includes(`# TYPE ${name} `);
    const names = named(textOf(path));
    expect(names.length).toBeGreaterThan(least);
    expect(names.filter((name) => !known(name))).toEqual([]);
  });

  it('stands in docs/reference/metrics.md as it is, and none stands there that is not', () => {
    const told = tableRows('docs/reference/metrics.md', 'metric').flatMap((row) =>
      row['process']!.split(', ').map((process) => {
        const [kind] = row['kind and labels']!.split(' ');
        const labels = codesIn(row['kind and labels']!);
        const [name] = codesIn(row['metric']!);
        return [process, kind, name, ...labels].join(' ');
      }),
    );
    expect(told.toSorted()).toEqual(ROWS.toSorted());
  });

  it('has labels that are words of this program', () => {
    const labels = LABELLED.flatMap((metric) => metric.labels ?? []);
    const words =
      'accuser code end kind limit method outcome pair party pool queue reason result role route scope source state';
    expect([...new Set(labels)].toSorted()).toEqual(words.split(' '));
  });
});
