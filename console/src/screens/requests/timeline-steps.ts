import { visibleText } from '../../design/visible-text.js';
import type { RequestRecord } from './shown-record.js';

export interface TimelineStep {
  readonly text: string;
  /** Whose doing it was, where a person's. */
  readonly userId?: string;
  /** RFC 3339; absent: see `noTime`. */
  readonly at?: string;
  /** Why there is no time, for people. */
  readonly noTime: string;
  /** `open`: still to come. */
  readonly mood: 'done' | 'open' | 'bad';
}

const UNTIMED = 'the audit log has the time';

/** In the order in which things happen; what is still to come is last. */
export function timelineOf(record: RequestRecord): readonly TimelineStep[] {
  return [
    received(record),
    ...decisions(record),
    ...approvals(record),
    ...signing(record),
    ...endings(record),
  ];
}

function received({ created_at: at, created_by: userId }: RequestRecord): TimelineStep {
  return { text: 'Received from', userId, at, noTime: '', mood: 'done' };
}

function approvals(record: RequestRecord): TimelineStep[] {
  const { approvals: asked, approved_at: times = [], status } = record;
  const { given, required } = asked;
  const done = given.map((userId, place): TimelineStep => {
    const at = times[place];
    const step = { text: 'Approved by', userId, noTime: UNTIMED, mood: 'done' } as const;
    return at === undefined ? step : { ...step, at };
  });
  const missing = required - given.length;
  if (missing <= 0 || status !== 'processing') return done;
  const noTime = 'still to come';
  return [
    ...done,
    { text: missing === 1 ? '1 approval' : `${missing} approvals`, noTime, mood: 'open' },
  ];
}

/** Each party that judged a change says when, by its own clock. */
function decisions({ countersignatures = [] }: RequestRecord): TimelineStep[] {
  return countersignatures.map(({ party, at }) => {
    return { text: `Judged by party ${party}`, at, noTime: '', mood: 'done' };
  });
}

const ENDS = {
  completed: 'Completed',
  failed: 'Failed',
  rejected: 'Rejected',
  expired: 'Expired: what it needed did not come in time',
  cancelled: 'Cancelled',
} as const;

function endings(record: RequestRecord): TimelineStep[] {
  const { status, takes_effect_at: due, completed_at: at, decided_by: userId, error } = record;
  if (status === 'processing') return [pending(record, due)];
  // of what was signed it is the freeze that holds the signature back by now, and not how it ended
  const isReason = error !== undefined && status !== 'completed';
  const because = isReason ? `: ${visibleText(error.err_msg)}` : '';
  const by = userId === undefined ? {} : { userId };
  return [
    {
      text: `${ENDS[status]}${because}${userId === undefined ? '' : ', by'}`,
      ...by,
      ...(at !== undefined && { at }),
      noTime: UNTIMED,
      mood: status === 'completed' ? 'done' : 'bad',
    },
  ];
}

function pending({ phase }: RequestRecord, due: string | undefined): TimelineStep {
  if (due !== undefined) return { text: 'Takes effect', at: due, noTime: '', mood: 'open' };
  const text = phase === 'working' ? 'The parties are working on it' : 'Takes effect';
  return { text, noTime: 'still to come', mood: 'open' };
}

/** Of a signature: which parties made it, and when, as its receipt says. */
function signing({ receipt }: RequestRecord): TimelineStep[] {
  if (receipt === undefined) return [];
  const parties = receipt.parties.map((party) => `party ${party}`).join(' and ');
  const text = `Signed by ${parties}, receipt given`;
  return [{ text, at: receipt.signed_at, noTime: '', mood: 'done' }];
}

/** ms from the timed step before each one; undefined where one of both has no time, or another clock was ahead. */
export function pausesOf(steps: readonly TimelineStep[]): readonly (number | undefined)[] {
  let before: number | undefined;
  return steps.map(({ at }) => {
    if (at === undefined) return undefined;
    const now = Date.parse(at);
    const pause = before === undefined ? undefined : now - before;
    before = now;
    return pause === undefined || pause < 0 ? undefined : pause;
  });
}
