import { expect, it } from '@jest/globals';
import { getSystemOperationsOperation } from '@countersign/api/operations/system-operations.js';
import { MOST_SAMPLES, withSample, type Figures, type Sample } from './figure-samples.js';

const FIGURES = getSystemOperationsOperation.example.response as Figures;
const at = (second: number): Figures => ({
  ...FIGURES,
  at: new Date(second * 1_000).toISOString(),
});

it('remembers what the figures say', () => {
  expect(withSample([], FIGURES)).toEqual([
    { at: FIGURES.at, perS: 214.6, failed: 0, p50: 13, p95: 24, p99: 41 },
  ]);
});

it('has no times where nothing was answered', () => {
  const { signing } = FIGURES;
  const [sample] = withSample([], { ...FIGURES, signing: { ...signing, latency: null } });
  expect(sample).toMatchObject({ p50: null, p95: null, p99: null });
});

it('counts the same figures once', () => {
  const once = withSample([], at(1));
  expect(withSample(once, at(1))).toBe(once);
  expect(withSample(once, at(2))).toHaveLength(2);
});

it('forgets the oldest', () => {
  let samples: readonly Sample[] = [];
  for (let second = 0; second <= MOST_SAMPLES; second++) samples = withSample(samples, at(second));
  expect(samples).toHaveLength(MOST_SAMPLES);
  expect(samples[0]!.at).toBe(at(1).at);
});
