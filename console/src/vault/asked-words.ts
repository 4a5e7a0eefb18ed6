/** How a form says where a change stands that it rests on. */
import type { OperationValue } from '@countersign/client/operation-calls.js';
import { visibleText } from '../design/visible-text.js';

type Standing = Pick<OperationValue<'get-request'>, 'status' | 'phase' | 'approvals'>;

export function askedWords(name: string, record: Standing | undefined): string {
  const what = visibleText(name);
  if (record === undefined) return `${what} is asked for.`;
  const { status, phase, approvals } = record;
  if (status === 'completed') return `${what} is there now.`;
  if (status !== 'processing') return `${what} was not made: its request is ${status}.`;
  const waits =
    phase === 'awaiting_approval'
      ? `waits for approvals (${approvals.given.length} of ${approvals.required})`
      : 'is being made';
  return `${what} ${waits}. What you wrote here is kept until you sign out.`;
}
