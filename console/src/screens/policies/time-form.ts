/** A part of the week as the fields of a form, and back. */
import type { Weekday } from '@countersign/core/vocabulary.js';
import type { RuleInput } from './policy-draft.js';

export type TimeWindow = NonNullable<RuleInput['when']['time']>;

/** All empty: any time. */
export interface TimeForm {
  /** None: every day. */
  readonly days: readonly Weekday[];
  /** `HH:MM`; empty: the beginning and the end of the day. */
  readonly from: string;
  readonly to: string;
  readonly zone: string;
}

export function timeFormOf(time: TimeWindow | undefined): TimeForm {
  return {
    days: time?.days ?? [],
    from: time?.from ?? '',
    to: time?.to ?? '',
    zone: time?.time_zone ?? '',
  };
}

/** What is wrong with it is found when the draft is checked. */
export function timeOf({ days, from, to, zone }: TimeForm): TimeWindow | undefined {
  if (days.length === 0 && [from, to, zone].every((text) => text.trim() === '')) return undefined;
  return {
    ...(days.length > 0 && { days: [...days] }),
    ...(from !== '' && { from }),
    ...(to !== '' && { to }),
    time_zone: zone.trim(),
  };
}
