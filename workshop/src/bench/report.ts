/** The figures as text. */
import type { LoadMeasurement } from './load.js';
import type { RatioInterval } from './ratio-interval.js';
import type { Measured } from './measured.js';

interface Loaded {
  readonly name: string;
  readonly load: LoadMeasurement;
}

export function reportText(measured: readonly Measured[]): string {
  const loads = measured.flatMap(({ name, load }) => (load === undefined ? [] : [{ name, load }]));
  const figures = table(
    ['figure', '', ''],
    measured.flatMap(({ name, figures: values = {} }) =>
      Object.entries(values).map(([what, value]) => [name, what, String(round(value))]),
    ),
  );
  const tables = [
    speedTable(loads),
    besideTable(measured),
    costTable(loads),
    threadTable(loads),
    workTable(loads),
    commandTable(loads),
    insideTable(loads),
    figures,
  ];
  return tables.filter((text) => text !== '').join('\n\n');
}

function speedTable(loads: readonly Loaded[]): string {
  return table(
    [
      'scenario',
      'answers/s',
      'p50 ms',
      'p90',
      'p99',
      'p99.9',
      'max ms',
      'not 200',
      "others' CPU %",
      'stolen %',
    ],
    loads.map(({ name, load }) => [
      name,
      (load.answers / load.seconds).toFixed(0),
      ...[load.p50Ms, load.p90Ms, load.p99Ms, load.p999Ms, load.maxMs].map((ms) => ms.toFixed(1)),
      notOk(load.statuses),
      ...[load.othersUs, load.stolenUs].map((us) => ((us / load.seconds / 1e6) * 100).toFixed(0)),
    ]),
  );
}

function costTable(loads: readonly Loaded[]): string {
  const processes = [...new Set(loads.flatMap(({ load }) => Object.keys(load.cpuUs)))];
  return table(
    ['CPU µs per request', ...processes, 'sum'],
    loads.map(({ name, load }) => {
      const each = processes.map((process) => (load.cpuUs[process] ?? 0) / load.answers);
      const sum = each.reduce((total, us) => total + us, 0);
      return [name, ...[...each, sum].map((us) => us.toFixed(0))];
    }),
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
export function intervalText(ratio: RatioInterval | undefined): string {
  if (ratio === undefined) return '';
  const { mean, low, high } = ratio;
  const bounds = low === undefined ? '' : ` (${low.toFixed(2)} to ${high!.toFixed(2)})`;
  return `${mean.toFixed(2)}${bounds}`;
}

function threadTable(loads: readonly Loaded[]): string {
  const isNode = (name: string) => name === 'gateway' || name.startsWith('party');
  const processes = [...new Set(loads.flatMap(({ load }) => Object.keys(load.mainThreadUs)))];
  const shown = processes.filter(isNode);
  if (shown.length === 0) return '';
  return table(
    ['main thread + other threads, µs', ...shown],
    loads.map(({ name, load }) => [
      name,
      ...shown.map((process) => {
        const main = (load.mainThreadUs[process] ?? 0) / load.answers;
        const all = (load.cpuUs[process] ?? 0) / load.answers;
        return `${main.toFixed(0)} + ${(all - main).toFixed(0)}`;
      }),
    ]),
  );
}

function workTable(loads: readonly Loaded[]): string {
  return table(
    ['per request', 'Redis commands', 'WAL bytes', 'WAL fsyncs', 'commits'],
    loads.flatMap(({ name, load: { work, answers } }) => {
      if (work === undefined) return [];
      const commands = Object.values(work.redisCommands).reduce((sum, calls) => sum + calls, 0);
      return [
        [
          name,
          (commands / answers).toFixed(1),
          (work.walBytes / answers).toFixed(0),
          (work.walFsyncs / answers).toFixed(3),
          (work.commits / answers).toFixed(3),
        ],
      ];
    }),
  );
}

/** Beyond these a command is one of many. */
const SHOWN_COMMANDS = 12;

/** Those inside scripts included. */
function commandTable(loads: readonly Loaded[]): string {
  const perRequest = ({ load }: Loaded, command: string) =>
    (load.work?.redisCommands[command] ?? 0) / load.answers;
  const known = loads.flatMap(({ load }) => Object.keys(load.work?.redisCommands ?? {}));
  const most = (command: string) => Math.max(...loads.map((one) => perRequest(one, command)));
  const commands = [...new Set(known)]
    .toSorted((one, other) => most(other) - most(one))
    .slice(0, SHOWN_COMMANDS);
  if (commands.length === 0) return '';
  return table(
    ['Redis commands per request', ...commands],
    loads.map((one) => [
      one.name,
      ...commands.map((command) => perRequest(one, command).toFixed(2)),
    ]),
  );
}

/** Of main threads. */
function insideTable(loads: readonly Loaded[]): string {
  const rows = loads.flatMap(({ name, load: { inside = {}, answers } }) =>
    Object.entries(inside).map(([process, reading]) => [
      name,
      process,
      (reading.allocatedBytes / answers / 1e3).toFixed(1),
      (reading.collectingUs / answers).toFixed(0),
      reading.delayP99Ms.toFixed(1),
      reading.delayMaxMs.toFixed(1),
    ]),
  );
  const heads = [
    'inside',
    '',
    'kB allocated a request',
    'µs of collecting',
    'loop late p99 ms',
    'max',
  ];
  return rows.length === 0 ? '' : table(heads, rows);
}

function notOk(statuses: Readonly<Record<string, number>>): string {
  const others = Object.entries(statuses).filter(([status]) => status !== '200');
  return others.length === 0
    ? '0'
    : others.map(([status, count]) => `${count}x${status}`).join(' ');
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}

/** Empty without rows. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
        )
        .join('  '),
    )
    .join('\n');
}
