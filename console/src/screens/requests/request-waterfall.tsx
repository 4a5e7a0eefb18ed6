/** How long each stage of a request took, as bars one after the other. */
import type { CSSProperties } from 'react';
import { durationWords } from '../../design/duration-words.js';
import styles from './request-waterfall.module.css';
import type { TimelineStep } from './timeline-steps.js';
import { barsOf, type WaterfallBar } from './waterfall-bars.js';

export function RequestWaterfall({ steps }: { readonly steps: readonly TimelineStep[] }) {
  const bars = barsOf(steps);
  if (bars.length === 0) return null;
  return (
    <>
      <h3>How long each stage took</h3>
      <ol className={styles.bars} aria-label="How long each stage took">
        {bars.map((bar, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- bars are never reordered
          <li key={index} className={styles[bar.step.mood] ?? ''}>
            <span>{bar.step.text.replace(/,? by$/, '')}</span>
            <span className={styles.track} aria-hidden>
              <span className={styles.bar} style={placeOf(bar)} />
            </span>
            <span className={styles.time}>{durationWords(bar.ms)}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

function placeOf({ from, width }: WaterfallBar): CSSProperties {
  return { marginLeft: `${100 * from}%`, width: `${100 * width}%` };
}
