import type { TimelineStep } from './timeline-steps.js';

/** What led to a step: from the step before it until then. */
export interface WaterfallBar {
  readonly step: TimelineStep;
  readonly ms: number;
  /** Parts of the whole time, 0 to 1. */
  readonly from: number;
  readonly width: number;
}

/** In order of time, by the clocks of whoever dated them. Empty while nothing but the beginning has a time. */
export function barsOf(steps: readonly TimelineStep[]): readonly WaterfallBar[] {
  const timed = steps
    .flatMap((step) => (step.at === undefined ? [] : [{ step, time: Date.parse(step.at) }]))
    .filter(({ step }) => step.mood !== 'open')
    .toSorted((one, other) => one.time - other.time);
  const first = timed[0]?.time ?? 0;
  const whole = (timed.at(-1)?.time ?? 0) - first;
  const part = (ms: number) => (whole === 0 ? 0 : ms / whole);
  return timed.slice(1).map(({ step, time }, index) => {
    const before = timed[index]!.time;
    return { step, ms: time - before, from: part(before - first), width: part(time - before) };
  });
}
