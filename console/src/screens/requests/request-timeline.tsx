/** What happened to a request, in order, with the times that the vault gives. */
import type { ReactNode } from 'react';
import { durationWords } from '../../design/duration-words.js';
import { Panel, Quiet, Time } from '../../design/pieces.js';
import { UserLink } from '../../vault/names.js';
import type { RequestRecord } from './shown-record.js';
import styles from './request-timeline.module.css';
import { RequestWaterfall } from './request-waterfall.js';
import { pausesOf, timelineOf, type TimelineStep } from './timeline-steps.js';

export function RequestTimeline({ record }: { readonly record: RequestRecord }) {
  const steps = timelineOf(record);
  const pauses = pausesOf(steps);
  return (
    <Panel title="Timeline">
      <ol className={styles.steps}>
        {steps.map((step, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- steps are never reordered
          <li key={index} className={styles[step.mood] ?? ''}>
            <strong>
              <StepText step={step} />
            </strong>
            <Quiet>
              {step.at === undefined ? step.noTime : <Time at={step.at} isExact />}
              {pauses[index] !== undefined && `, after ${durationWords(pauses[index])}`}
            </Quiet>
          </li>
        ))}
      </ol>
      <RequestWaterfall steps={steps} />
    </Panel>
  );
}

function StepText({ step }: { readonly step: TimelineStep }): ReactNode {
  if (step.userId === undefined) return step.text;
  return (
    <>
      {step.text} <UserLink id={step.userId} />
    </>
  );
}
