/** The figures as one page that needs nothing else: no script, no font, no other file. */
import { barChart, escapeText, type Bar, type Part } from './bar-chart.js';
import { LOAD_GENERATOR, type LoadMeasurement } from './load.js';
import type { Measured } from './measured.js';
import { BARE_SIGNING } from './references.js';
import { intervalText, reportText } from './report.js';

interface Loaded extends Measured {
  readonly load: LoadMeasurement;
}

const STYLE = `
:root { color-scheme: light dark; --text: #1c2430; --paper: #fff; --soft: #5a6675;
  --c0: #2f6fb4; --c1: #d98324; --c2: #3a9a63; --c3: #b5487e; --c4: #7a62b8; --c5: #b3a024; --c6: #3b9fa8; --c7: #8a8f98; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e8ee; --paper: #12171e; --soft: #9aa6b5;
  --c0: #6aa5e0; --c1: #eea85a; --c2: #6cc592; --c3: #dd80ad; --c4: #a793dd; --c5: #d6c65a; --c6: #6fcbd3; --c7: #a9aeb7; } }
body { font: 14px/1.5 system-ui, sans-serif; color: var(--text); background: var(--paper); max-width: 1200px; margin: 2rem auto; padding: 0 1rem; }
svg { width: 100%; height: auto; } svg text { font-size: 13px; fill: var(--text); }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
.legend span { margin-right: 1rem; white-space: nowrap; } .legend i { display: inline-block; width: .8em; height: .8em; margin-right: .35em; }
p { color: var(--soft); } pre { overflow-x: auto; font-size: 12px; }`;

/** `machine`: what it ran on, as text. */
export function reportPage(machine: string, measured: readonly Measured[]): string {
  const loads = measured.flatMap((one) =>
    one.load === undefined ? [] : [{ ...one, load: one.load }],
  );
  const charts =
    loads.length === 0
      ? []
      : [rateChart(loads), costChart(loads), latencyChart(loads), commandChart(loads)];
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>Countersign: benchmark</title><style>${STYLE}</style></head><body>`,
    `<h1>Countersign: benchmark</h1><p>${escapeText(machine)}</p>`,
    ...charts,
    `<h2>All figures</h2><pre>${escapeText(reportText(measured))}</pre>`,
    '</body></html>\n',
  ].join('\n');
}

function rateChart(loads: readonly Loaded[]): string {
  const bars = loads.flatMap(({ name, load, beside = {} }) => {
    const rates: [string, number][] = [[name, load.answers / load.seconds]];
    for (const [what, { perSecond }] of Object.entries(beside)) rates.push([what, perSecond]);
    return rates.map(([label, value], index): Bar => ({
      label,
      parts: [{ name: index === 0 ? 'vault' : 'held against', value }],
      text: value.toFixed(0),
    }));
  });
  return barChart('Answers a second', bars);
}

/** In b where the maths alone was measured beside every load. */
function costChart(loads: readonly Loaded[]): string {
  const units = loads.map(({ beside }) => beside?.[BARE_SIGNING]?.costUs);
  const isInB = units.every((unit) => unit !== undefined);
  const bars = loads.map(({ name, load, beside }, index): Bar => {
    const unit = isInB ? units[index]! : 1;
    const parts = Object.entries(load.cpuUs)
      .filter(([process]) => process !== LOAD_GENERATOR)
      .map(([process, us]): Part => ({ name: process, value: us / load.answers / unit }));
    const sum = parts.reduce((total, { value }) => total + value, 0);
    const ratio = beside?.[BARE_SIGNING]?.costRatio;
    const text = isInB && ratio !== undefined ? intervalText(ratio) : sum.toFixed(isInB ? 2 : 0);
    return { label: name, parts, text };
  });
  const unit = isInB ? 'in b: 1.0 is the maths of a FROST signature alone' : 'µs';
  return barChart(`Processor time per request, ${unit}`, bars);
}

/** Each percentile on top of the one before. */
function latencyChart(loads: readonly Loaded[]): string {
  const bars = loads.map(({ name, load }): Bar => {
    const { p50Ms, p90Ms, p99Ms } = load;
    return {
      label: name,
      parts: [
        { name: 'p50', value: p50Ms },
        { name: 'to p90', value: p90Ms - p50Ms },
        { name: 'to p99', value: p99Ms - p90Ms },
      ],
      text: `${p50Ms.toFixed(1)} / ${p90Ms.toFixed(1)} / ${p99Ms.toFixed(1)}`,
    };
  });
  return barChart('Latency, ms: p50 / p90 / p99', bars);
}

const SHOWN_COMMANDS = 7;

function commandChart(loads: readonly Loaded[]): string {
  const bars = loads.map(({ name, load }): Bar => {
    const counts = Object.entries(load.work?.redisCommands ?? {})
      .map(([command, calls]): Part => ({ name: command, value: calls / load.answers }))
      .toSorted((one, other) => other.value - one.value);
    const sum = (parts: readonly Part[]) => parts.reduce((total, { value }) => total + value, 0);
    const others = { name: 'others', value: sum(counts.slice(SHOWN_COMMANDS)) };
    return {
      label: name,
      parts: [...counts.slice(0, SHOWN_COMMANDS), others],
      text: sum(counts).toFixed(1),
    };
  });
  return barChart('Redis commands per request', bars);
}
