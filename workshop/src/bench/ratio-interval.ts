/**
 * How much one thing is of another, from pairs that were measured next to each other: whatever else the machine did meanwhile
 * met both. Ratios are averaged by their logarithms, so that twice and half weigh the same, and the interval holds the
 * true one with 95 % if the pairs' ratios scatter normally (Student's t).
 */
export interface RatioInterval {
  readonly mean: number;
  /** Both undefined of a single pair, which says nothing about its scatter. */
  readonly low?: number;
  readonly high?: number;
}

/** The 97.5 % quantile of Student's distribution, for one degree of freedom and more. */
const STUDENT_T = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145,
  2.131, 2.12, 2.11, 2.101, 2.093, 2.086,
];
/** Between 20 degrees of freedom (2.086) and infinitely many (1.96): never too small. */
const STUDENT_T_BEYOND = 2.086;

/** Of `[what, by what]`. Undefined when there are none, or one of them was nothing. */
export function ratioInterval(
  pairs: readonly (readonly [number, number])[],
): RatioInterval | undefined {
  const logs = pairs.map(([one, other]) => Math.log(one / other));
  if (logs.length === 0 || !logs.every(Number.isFinite)) return undefined;
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const freedom = logs.length - 1;
  if (freedom === 0) return { mean: Math.exp(mean) };
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / freedom;
  const half = (STUDENT_T[freedom - 1] ?? STUDENT_T_BEYOND) * Math.sqrt(variance / logs.length);
  return { mean: Math.exp(mean), low: Math.exp(mean - half), high: Math.exp(mean + half) };
}

/** The order of a round: back and forth, so that a machine that grows slower or faster favours nobody. */
export function orderOfRound<T>(things: readonly T[], round: number): readonly T[] {
  return round % 2 === 0 ? things : things.toReversed();
}
