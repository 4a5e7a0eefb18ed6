import { describe, expect, test } from '@jest/globals';
import { barChart, COLOURS } from './bar-chart.js';
import type { Measured } from './measured.js';
import { reportPage } from './report-page.js';

const LOADED: Measured = {
  name: 'raw-sign <c=64>',
  load: {
    answers: 100,
    seconds: 2,
    latenciesMs: [],
    statuses: { 200: 100 },
    p50Ms: 1,
    p90Ms: 2,
    p99Ms: 4,
    p999Ms: 5,
    maxMs: 6,
    cpuUs: { gateway: 60_000, redis: 20_000, 'load generator': 50_000 },
    mainThreadUs: { gateway: 40_000 },
    othersUs: 0,
    stolenUs: 0,
    work: { redisCommands: { get: 300 }, walBytes: 0, walFsyncs: 0, commits: 0 },
  },
  beside: {
    'bare signing': {
      perSecond: 1_000,
      costUs: 400,
      costRatio: { mean: 2, low: 1.5, high: 2.5 },
    },
  },
};

describe('bars', () => {
  const widths = (svg: string) =>
    [...svg.matchAll(/<rect[^>]* width="([\d.]+)"/g)].map(([, width]) => Number(width));

  test('are as long as what they show, and the longest fills the scale', () => {
    const bar = (value: number) => ({
      label: 'x',
      parts: [
        { name: 'a', value },
        { name: 'b', value: 2 * value },
      ],
      text: '',
    });
    const [short, shortOther, long, longOther] = widths(barChart('t', [bar(1), bar(3)]));
    expect(long! + longOther!).toBeCloseTo(530, 0);
    expect(long!).toBeCloseTo(3 * short!, 0);
    expect(shortOther!).toBeCloseTo(2 * short!, 0);
  });

  test('of one name have one colour', () => {
    const bars = ['x', 'y'].map((label) => ({
      label,
      parts: [{ name: 'same', value: 1 }],
      text: '',
    }));
    expect(new Set(barChart('t', bars).match(/fill="[^"]+"/g)).size).toBe(1);
  });

  test('of nothing are no length, not a broken one', () => {
    const empty = barChart('t', [{ label: 'x', parts: [{ name: 'a', value: 0 }], text: '0' }]);
    expect(widths(empty)).toEqual([0]);
  });
});

describe('the page', () => {
  const page = reportPage('two cores', [LOADED, { name: 'start', figures: { seconds: 3 } }]);

  test('needs nothing else and runs nothing', () => {
    expect(page).not.toMatch(/<script|<link|\ssrc=|\shref=|url\(|@import|https?:/);
  });

  test('has every figure as text too, and shows names as they are', () => {
    expect(page).toContain('two cores');
    expect(page).toContain('raw-sign &lt;c=64&gt;');
    expect(page).not.toContain('<c=64>');
    expect(page).toMatch(/start +seconds +3/);
  });

  test('tells costs in b, without the load generator', () => {
    expect(page).toContain('<title>gateway: 1.5</title>');
    expect(page).toContain('2.00 (1.50 to 2.50)');
    expect(page).not.toContain('<title>load generator');
  });

  test('is for light and dark, with every colour in both', () => {
    expect(page).toContain('prefers-color-scheme: dark');
    for (let colour = 0; colour < COLOURS; colour++) {
      expect(page.match(new RegExp(`--c${colour}: #`, 'g'))).toHaveLength(2);
    }
  });

  test('of no load has its figures', () => {
    const figures = reportPage('x', [{ name: 'start', figures: { seconds: 3 } }]);
    expect(figures).not.toContain('<svg');
    expect(figures).toContain('seconds');
  });
});
