/** Lines over time, drawn by uPlot, with an axis and the values under the pointer. A table beside it says the same in words. */
import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import styles from './time-chart.module.css';

export interface ChartLine {
  readonly name: string;
  /** null: nothing was measured. */
  readonly values: readonly (number | null)[];
}

export interface TimeChartProps {
  readonly title: string;
  readonly unit: string;
  /** Seconds, ever later. */
  readonly at: readonly number[];
  /** At most three. */
  readonly lines: readonly ChartLine[];
  /** What the width is for, seconds. */
  readonly from: number;
  readonly to: number;
}

/** Colour and dashes: who sees no colours tells lines apart all the same. */
const STROKES = [
  ['--accent', []],
  ['--good', [8, 4]],
  ['--danger', [2, 4]],
] as const;
const HEIGHT = 180;

export default function TimeChart(props: TimeChartProps) {
  const { title, unit, at, lines, from, to } = props;
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(undefined);
  const range = useRef<[number, number]>([from, to]);
  const names = lines.map(({ name }) => name).join('\n');

  // drawn anew in other colours, the legend's included
  const [theme, setTheme] = useState(0);
  useEffect(() => onTheme(() => setTheme((count) => count + 1)), []);

  useEffect(() => {
    const { current: within } = place;
    if (within === null) return;
    const made = new uPlot(optionsOf(names.split('\n'), unit, range, within.clientWidth));
    within.append(made.root);
    chart.current = made;
    const sizes = new ResizeObserver(() =>
      made.setSize({ width: within.clientWidth, height: HEIGHT }),
    );
    sizes.observe(within);
    return () => {
      sizes.disconnect();
      made.destroy();
    };
  }, [names, unit, theme]);

  useEffect(() => {
    range.current = [from, to];
    const values = lines.map((line) => [...line.values]);
    chart.current?.setData([[...at], ...values]);
  }, [at, lines, from, to, theme]);

  return (
    <figure className={styles.chart}>
      <figcaption>
        {title} <span className={styles.unit}>{unit}</span>
      </figcaption>
      <div ref={place} className={styles.plot} role="img" aria-label={wordsOf(props)} />
    </figure>
  );
}

/** What somebody hears who does not see it. */
function wordsOf({ title, unit, lines }: TimeChartProps): string {
  const told = lines.map(({ name, values }) => {
    const some = values.filter((value) => value !== null);
    const [most, newest] = [Math.max(0, ...some), some.at(-1) ?? 0];
    return `${name}: now ${NUMBERS.format(newest)}, at most ${NUMBERS.format(most)}`;
  });
  return `${title}, ${unit}. ${told.join('; ')}.`;
}

const NUMBERS = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

function optionsOf(
  names: readonly string[],
  unit: string,
  range: { readonly current: [number, number] },
  width: number,
): uPlot.Options {
  const axis: uPlot.Axis = {
    stroke: () => colour('--quiet'),
    grid: { stroke: () => colour('--line'), width: 1 },
    ticks: { show: false },
    font: '12px Inter, system-ui, sans-serif',
  };
  return {
    width,
    height: HEIGHT,
    cursor: { sync: { key: 'operations' }, drag: { x: false, y: false }, y: false },
    scales: {
      x: { range: () => range.current },
      y: { range: (_, _least, most) => [0, Math.max(1, most) * 1.05] },
    },
    axes: [
      {
        ...axis,
        size: 28,
        space: 72,
        values: (_, moments) => moments.map((s) => CLOCK.format(s * 1_000)),
      },
      { ...axis, size: 48, values: (_, some) => some.map((value) => NUMBERS.format(value)) },
    ],
    series: [
      { label: 'At', value: (_, s: number | null) => (s === null ? '–' : CLOCK.format(s * 1_000)) },
      ...names.map((label, index) => seriesOf(label, unit, index)),
    ],
  };
}

function seriesOf(label: string, unit: string, index: number): uPlot.Series {
  const [variable, dash] = STROKES[index] ?? STROKES[2];
  return {
    label,
    stroke: () => colour(variable),
    width: 1.75,
    dash: [...dash],
    points: { show: (self, seriesIndex) => isSparse(self.data[seriesIndex]) },
    value: (_, value: number | null) => (value === null ? '–' : `${NUMBERS.format(value)} ${unit}`),
  };
}

/** A value with gaps around it is no line: it shows as a dot. */
function isSparse(values: uPlot.AlignedData[number] | undefined): boolean {
  return (values ?? []).filter((value: number | null | undefined) => value != null).length < 30;
}

/** A canvas takes colours alone, so what a property means in this scheme is asked of the page. */
function colour(variable: string): string {
  const probe = document.documentElement;
  const before = probe.style.outlineColor;
  probe.style.outlineColor = `var(${variable})`;
  const found = getComputedStyle(probe).outlineColor;
  probe.style.outlineColor = before;
  return found;
}

/** Calls when light becomes dark, by this page's choice or the system's; returns what ends that. */
function onTheme(tell: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  system.addEventListener('change', tell);
  const own = new MutationObserver(tell);
  own.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => {
    system.removeEventListener('change', tell);
    own.disconnect();
  };
}
