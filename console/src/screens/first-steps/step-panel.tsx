import type { ReactNode } from 'react';
import { Badge, Panel } from '../../design/pieces.js';
import styles from './first-steps.module.css';

interface StepPanelProps {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  readonly children: ReactNode;
}

export function StepPanel({ number, title, isDone, children }: StepPanelProps) {
  return (
    <Panel>
      <div className={styles.head}>
        <h2>
          {number}. {title}
        </h2>
        <Badge mood={isDone ? 'good' : 'warn'}>{isDone ? 'done' : 'to do'}</Badge>
      </div>
      {children}
    </Panel>
  );
}
