/** The figures as text. */
import type { Measured } from './scenarios.js';

export function reportText(measured: readonly Measured[]): string {
  const loads = measured.flatMap(({ name, load }) => (load === undefined ? [] : [{ name, load }]));
  const speed = table(
    ['scenario', 'answers/s', 'p50 ms', 'p99 ms', 'max ms', 'not 200', "others' CPU %"],
    loads.map(({ name, load }) => [
      name,
      (load.answers / load.seconds).toFixed(0),
      load.p50Ms.toFixed(1),
      load.p99Ms.toFixed(1),
      load.maxMs.toFixed(1),
      notOk(load.statuses),
      ((load.othersUs / load.seconds / 1e6) * 100).toFixed(0),
    ]),
  );
  const processes = [...new Set(loads.flatMap(({ load }) => Object.keys(load.cpuUs)))];
  const cost = table(
    ['CPU µs per request', ...processes, 'sum'],
    loads.map(({ name, load }) => {
      const each = processes.map((process) => (load.cpuUs[process] ?? 0) / load.answers);
      const sum = each.reduce((total, us) => total + us, 0);
      return [name, ...[...each, sum].map((us) => us.toFixed(0))];
    }),
  );
  const figures = table(
    ['figure', '', ''],
    measured.flatMap(({ name, figures: values = {} }) =>
      Object.entries(values).map(([what, value]) => [name, what, String(round(value))]),
    ),
  );
  return [speed, cost, figures].filter((text) => text !== '').join('\n\n');
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
