/** What documents and examples say of metrics is so: a rule over a name that nobody has would never fire. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { createMetrics, type MetricSet } from '@countersign/runtime/metrics/metrics.js';
import { gatewayMetrics } from '../../gateway/src/watch/gateway-metrics.ts';
import { relayMetrics } from '../../infra/prices/src/relay-metrics.ts';
import { notifierMetrics } from '../../notifier/src/notifier-metrics.ts';
import { signerMetrics } from '../../signer/src/signer-metrics.ts';

const nothing = new Proxy({}, { get: () => nothing }) as never;
/** Nobody reads them here: what they are called is all. */
const numbers = { tally: nothing, limits: nothing, now: () => 0 } as never;

const SETS: readonly MetricSet[] = [
  ...gatewayMetrics(numbers),
  ...signerMetrics(numbers),
  ...notifierMetrics(numbers),
  relayMetrics(nothing, () => 0),
];
const NAMES = new Set(
  SETS.flatMap(({ gauges = [], counters = [], latencies = [] }) => [
    ...[...gauges, ...counters].map(({ name }) => name),
    ...latencies.map(({ name }) => name),
  ]),
);

const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const named = (text: string) => [
  ...new Set(
    [...text.matchAll(/\b(?:countersign|nodejs|process)_[a-z0-9_]+/g)].map(([name]) => name),
  ),
];

describe('every metric', () => {
  it.each(['infra/monitoring/alerts.yml', 'infra/monitoring/grafana-dashboard.json'])(
    'that %s names is one of some process',
    async (path) => {
      const own = await (await createMetrics([])).metrics();
      const known = (name: string) =>
        NAMES.has(name.replace(/_(bucket|sum|count)$/, '')) || own.includes(`# TYPE ${name} `);
      const names = named(textOf(path));
      expect(names.length).toBeGreaterThan(10);
      expect(names.filter((name) => !known(name))).toEqual([]);
    },
  );

  it('stands in docs/how-to/watch.md, and none stands there that is not', () => {
    const told = named(textOf('docs/how-to/watch.md')).filter((name) =>
      name.startsWith('countersign_'),
    );
    const roles = /^countersign_(gateway|party|auditor|notifier|append)/;
    expect([...NAMES].filter((name) => !told.includes(name))).toEqual([]);
    expect(told.filter((name) => !NAMES.has(name) && !roles.test(name))).toEqual([]);
  });

  it('has labels that are words of this program', () => {
    const labels = SETS.flatMap(({ gauges = [], counters = [] }) =>
      [...gauges, ...counters].flatMap((metric) => metric.labels ?? []),
    );
    const words =
      'code end kind limit method outcome pair party pool queue reason result role route scope source state';
    expect([...new Set(labels)].toSorted()).toEqual(words.split(' '));
  });
});
