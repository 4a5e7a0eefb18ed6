import { expect, it } from '@jest/globals';
import type { TimelineStep } from './timeline-steps.js';
import { barsOf } from './waterfall-bars.js';

const step = (text: string, at?: string, mood: TimelineStep['mood'] = 'done'): TimelineStep => ({
  ...{ text, mood, noTime: '' },
  ...(at !== undefined && { at: `2026-11-22T12:00:0${at}Z` }),
});
const told = (...steps: TimelineStep[]) =>
  barsOf(steps).map(({ step: { text }, ms, from, width }) => [text, ms, from, width]);

it('each stage begins where the one before it ended, and together they are the whole', () => {
  expect(
    told(step('Received', '1.000'), step('Signed', '1.030'), step('Completed', '1.040')),
  ).toEqual([
    ['Signed', 30, 0, 0.75],
    ['Completed', 10, 0.75, 0.25],
  ]);
});

it('stages are in order of time, whoever is named first', () => {
  expect(
    told(step('Received', '1.000'), step('Party 1', '3.000'), step('Party 3', '2.000')),
  ).toEqual([
    ['Party 3', 1_000, 0, 0.5],
    ['Party 1', 1_000, 0.5, 0.5],
  ]);
});

it('what is still to come and what nobody dated has no bar', () => {
  const steps = [
    step('Received', '1.000'),
    step('Approved'),
    step('Takes effect', '9.000', 'open'),
  ];
  expect(told(...steps)).toEqual([]);
});

it('what took no time has a bar of no width', () => {
  expect(told(step('Received', '1.000'), step('Completed', '1.000'))).toEqual([
    ['Completed', 0, 0, 0],
  ]);
});
