/** What is drawn of numbers in a row. */

export interface ChartFrame {
  readonly width: number;
  readonly height: number;
  /** How many places the width has: fewer values stand at its right end. */
  readonly places: number;
  /** What the height is worth. */
  readonly most: number;
}

/** Path data (SVG 2, 9.3) with the newest value at the right end. A null is a gap; one value alone is a dot. */
export function chartPath(values: readonly (number | null)[], frame: ChartFrame): string {
  const step = frame.width / Math.max(1, frame.places - 1);
  const left = frame.width - step * (values.length - 1);
  return values
    .flatMap((value, index) => {
      if (value === null) return [];
      const x = rounded(left + index * step);
      const y = rounded(frame.height * (1 - value / frame.most));
      const before = index === 0 ? null : values[index - 1];
      return before === null ? `M${x} ${y}h0` : `L${x} ${y}`;
    })
    .join('');
}

/** A round number that no value is above: 1, 2 or 5 times a power of ten. */
export function roundTop(values: readonly (number | null)[]): number {
  const most = Math.max(0, ...values.map((value) => value ?? 0));
  if (most <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return power * ([1, 2, 5].find((times) => most <= times * power) ?? 10);
}

function rounded(value: number): number {
  return Number(value.toFixed(1));
}
