/** The figures as one page, with Chart.js in it: it needs no other file. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LOAD_GENERATOR } from './load.js';
import { loadsOf, reportText, type Measured } from './report.js';

/** Bars of one chart: a row for each label, a colour for each dataset. */
interface Chart {
  readonly title: string;
  readonly labels: readonly string[];
  readonly datasets: readonly { readonly label: string; readonly data: readonly number[] }[];
}

/** `machine`: what it ran on, as text; `library`: the charts' code. */
export function reportPage(
  machine: string,
  measured: readonly Measured[],
  library: string,
): string {
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Countersign: benchmark</title>',
    '<style>body { font: 14px system-ui, sans-serif; max-width: 1100px; margin: 2rem auto } pre { overflow-x: auto }</style>',
    `</head><body><h1>Countersign: benchmark</h1><p>${escapeText(machine)}</p><main></main>`,
    `<pre>${escapeText(reportText(measured))}</pre>`,
    `<script>${library}</script>`,
    `<script>const charts = ${JSON.stringify(chartsOf(measured)).replaceAll('<', '\\u003c')};`,
    DRAW,
    '</script></body></html>\n',
  ].join('\n');
}

const DRAW = `for (const { title, labels, datasets } of charts) {
  const canvas = document.createElement('canvas');
  canvas.height = 40 + 22 * labels.length;
  document.querySelector('main').append(canvas);
  const scales = { x: { stacked: true }, y: { stacked: true } };
  const plugins = { title: { display: true, text: title } };
  new Chart(canvas, { type: 'bar', data: { labels, datasets }, options: { indexAxis: 'y', animation: false, scales, plugins } });
}`;

function chartsOf(measured: readonly Measured[]): Chart[] {
  const loads = loadsOf(measured);
  if (loads.length === 0) return [];
  const labels = loads.map(({ name }) => name);
  const rates = loads.map(({ load }) => load.answers / load.seconds);
  const processes = [...new Set(loads.flatMap(({ load }) => Object.keys(load.cpuUs)))];
  const costs = processes
    .filter((process) => process !== LOAD_GENERATOR)
    .map((process) => ({
      label: process,
      data: loads.map(({ load }) => (load.cpuUs[process] ?? 0) / load.answers),
    }));
  // each percentile on top of the one before
  const latencies = [
    { label: 'p50', data: loads.map(({ load }) => load.p50Ms) },
    { label: 'to p90', data: loads.map(({ load }) => load.p90Ms - load.p50Ms) },
    { label: 'to p99', data: loads.map(({ load }) => load.p99Ms - load.p90Ms) },
  ];
  return [
    { title: 'Answers a second', labels, datasets: [{ label: 'vault', data: rates }] },
    { title: 'Processor time per request, µs', labels, datasets: costs },
    { title: 'Latency, ms', labels, datasets: latencies },
  ];
}

/** Throws where it is not installed: only this page needs it, so it is optional. */
export function chartLibrary(): string {
  const entry = fileURLToPath(import.meta.resolve('chart.js'));
  return readFileSync(join(dirname(entry), 'chart.umd.min.js'), 'utf8');
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
