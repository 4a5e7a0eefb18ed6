/** The figures as text. */
import type { Beside } from './beside.js';
import type { LoadMeasurement } from './load.js';
import type { RatioInterval } from './ratio-interval.js';

/** A row of the report. */
export interface Measured {
  readonly name: string;
  readonly load?: LoadMeasurement;
  /** What the load was held against, by name. */
  readonly beside?: Readonly<Record<string, Beside>>;
  /** A figure that is no load: what it is and how much. */
  readonly figures?: Readonly<Record<string, number>>;
}

type Loaded = Measured & { readonly load: LoadMeasurement };

export function loadsOf(measured: readonly Measured[]): Loaded[] {
  return measured.flatMap((one) => (one.load === undefined ? [] : [{ ...one, load: one.load }]));
}

export function reportText(measured: readonly Measured[]): string {
  const loads = loadsOf(measured);
  const figures = measured.flatMap(({ name, figures: values = {} }) =>
    Object.entries(values).map(([what, value]) => [
      name,
      what,
      String(Number(value.toPrecision(4))),
    ]),
  );
  const tables = [
    speedTable(loads),
    besideTable(measured),
    costTable(loads),
    wakesTable(loads),
    workTable(loads),
    table(['figure', '', ''], figures),
  ];
  return tables.filter((text) => text !== '').join('\n\n');
}

const PERCENTILES = ['p50Ms', 'p90Ms', 'p99Ms', 'p999Ms', 'maxMs'] as const;

function speedTable(loads: readonly Loaded[]): string {
  const heads = ['p50 ms', 'p90', 'p99', 'p99.9', 'max ms', 'not 200', "others' CPU %", 'stolen %'];
  return table(
    ['scenario', 'answers/s', ...heads],
    loads.map(({ name, load }) => [
      name,
      (load.answers / load.seconds).toFixed(0),
      ...PERCENTILES.map((part) => load[part].toFixed(1)),
      notOk(load.statuses),
      ...[load.othersUs, load.stolenUs].map((us) => ((us / load.seconds / 1e6) * 100).toFixed(0)),
    ]),
  );
}

/** What each load was held against, and how many times it costs that. */
function besideTable(measured: readonly Measured[]): string {
  return table(
    ['held against', 'what', 'per second', 'p50 ms', 'p99', 'CPU µs', 'costs times', 'rate times'],
    measured.flatMap(({ name, beside = {} }) =>
      Object.entries(beside).map(([what, one]) => [
        name,
        what,
        one.perSecond.toFixed(0),
        one.p50Ms?.toFixed(1) ?? '',
        one.p99Ms?.toFixed(1) ?? '',
        one.costUs.toFixed(0),
        intervalText(one.costRatio),
        intervalText(one.rateRatio),
      ]),
    ),
  );
}

/** With the bounds between which it lies at 95 %. */
function intervalText(ratio: RatioInterval | undefined): string {
  if (ratio === undefined) return '';
  const { mean, low, high } = ratio;
  const bounds = low === undefined ? '' : ` (${low.toFixed(2)} to ${high!.toFixed(2)})`;
  return `${mean.toFixed(2)}${bounds}`;
}

/** In brackets what of it the main thread took. */
function costTable(loads: readonly Loaded[]): string {
  const processes = [...new Set(loads.flatMap(({ load }) => Object.keys(load.cpuUs)))];
  return table(
    ['CPU µs per request (main thread)', ...processes, 'sum'],
    loads.map(({ name, load: { cpuUs, mainThreadUs, answers } }) => {
      const each = (us = 0) => (us / answers).toFixed(0);
      const cells = processes.map((process) => {
        const main = mainThreadUs[process];
        return `${each(cpuUs[process])}${main === undefined ? '' : ` (${each(main)})`}`;
      });
      return [name, ...cells, each(Object.values(cpuUs).reduce((sum, us) => sum + us, 0))];
    }),
  );
}

/** Of a lone request these are what costs: each is a trip through the kernel, and a core that has slept. */
function wakesTable(loads: readonly Loaded[]): string {
  const processes = [...new Set(loads.flatMap(({ load }) => Object.keys(load.wakes)))];
  return table(
    ['wakes per request', ...processes, 'sum'],
    loads.map(({ name, load: { wakes, answers } }) => {
      const each = (count = 0) => (count / answers).toFixed(1);
      const cells = processes.map((process) => each(wakes[process]));
      return [name, ...cells, each(Object.values(wakes).reduce((sum, count) => sum + count, 0))];
    }),
  );
}

function workTable(loads: readonly Loaded[]): string {
  return table(
    ['per request', 'Redis commands', 'WAL bytes', 'WAL fsyncs', 'commits'],
    loads.flatMap(({ name, load: { work, answers } }) =>
      work === undefined
        ? []
        : [
            [
              name,
              (work.redisCommands / answers).toFixed(1),
              (work.walBytes / answers).toFixed(0),
              (work.walFsyncs / answers).toFixed(3),
              (work.commits / answers).toFixed(3),
            ],
          ],
    ),
  );
}

function notOk(statuses: Readonly<Record<string, number>>): string {
  const others = Object.entries(statuses).filter(([status]) => status !== '200');
  return others.map(([status, count]) => `${count}x${status}`).join(' ') || '0';
}

/** Empty without rows. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!);
  return lines.map((line) => line.map(pad).join('  ')).join('\n');
}
