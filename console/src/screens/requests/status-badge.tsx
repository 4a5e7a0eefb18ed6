import type { Mood } from '../../design/mood-icon.js';
import { Badge } from '../../design/pieces.js';
import type { RequestRecord } from './shown-record.js';

const MOODS: Readonly<Record<RequestRecord['status'], Mood>> = {
  processing: 'warn',
  completed: 'good',
  failed: 'bad',
  rejected: 'bad',
  expired: 'plain',
  cancelled: 'plain',
};

const PHASES = {
  undecided: 'undecided',
  queued: 'queued',
  awaiting_approval: 'waits for approvals',
  working: 'being worked on',
} as const;

interface StatusBadgeProps {
  readonly record: Pick<RequestRecord, 'status' | 'phase'>;
}

/** Where a request stands, in words that stay on one line. */
export function StatusBadge({ record: { status, phase } }: StatusBadgeProps) {
  const words = phase === undefined ? status : PHASES[phase];
  return <Badge mood={MOODS[status]}>{words.replaceAll(' ', '\u00a0')}</Badge>;
}
