/** Lines over time, for who sees them: a table beside it says the same in numbers. */
import { chartPath, roundTop } from './chart-path.js';
import styles from './line-chart.module.css';

const WIDTH = 600;
const HEIGHT = 120;
const STROKES = ['first', 'second', 'third'] as const;

interface Line {
  readonly name: string;
  /** Oldest first; null: nothing was measured. */
  readonly values: readonly (number | null)[];
}

interface LineChartProps {
  readonly title: string;
  readonly unit: string;
  /** At most three. */
  readonly lines: readonly Line[];
  /** How many values the width is for. */
  readonly places: number;
}

export function LineChart({ title, unit, lines, places }: LineChartProps) {
  const most = roundTop(lines.flatMap(({ values }) => values));
  return (
    <figure className={styles.chart}>
      <figcaption>
        {title}
        {lines.length > 1 && lines.map(({ name }, at) => <Legend key={name} name={name} at={at} />)}
      </figcaption>
      <span className={styles.scale}>
        {most} {unit}
      </span>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={styles.plot}
        aria-hidden="true"
      >
        {lines.map(({ name, values }, at) => (
          <path
            key={name}
            className={styles[STROKES[at] ?? 'third']}
            d={chartPath(values, { width: WIDTH, height: HEIGHT, places, most })}
          />
        ))}
      </svg>
      <span className={styles.scale}>0</span>
    </figure>
  );
}

function Legend({ name, at }: { readonly name: string; readonly at: number }) {
  return (
    <span className={styles.legend}>
      <svg viewBox="0 0 24 8" width="24" height="8" className={styles.sample} aria-hidden="true">
        <path className={styles[STROKES[at] ?? 'third']} d="M0 4h24" />
      </svg>
      {name}
    </span>
  );
}
