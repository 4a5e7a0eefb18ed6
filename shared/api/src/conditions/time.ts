import * as s from '@countersign/core/shapes.js';
import { WEEKDAYS, type Weekday } from '@countersign/core/vocabulary.js';
import type { Condition, LocalTime } from './condition.js';
import { heldIf, untold } from './tested.js';
import { isSubset } from './listed.js';

/** A part of the week in local time; one that passes midnight belongs to the day on which it begins. */
export interface TimeWindow {
  readonly days?: readonly Weekday[] | undefined;
  /** `HH:MM`, inclusive. */
  readonly from?: string | undefined;
  /** `HH:MM`, exclusive. */
  readonly to?: string | undefined;
  /** IANA name, which not every release knows. */
  readonly timeZone: string;
}

const DAYS = 'Days of the week on which the window begins. Absent: every day.';
const FROM = 'Local time, `HH:MM`, inclusive. Absent: 00:00.';
const TO =
  'Local time, `HH:MM`, exclusive; at or before `from` it is on the next day. Absent: the end of the day.';

const localTime = s
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 09:30')
  .optional();

/** Writing and evaluating a rule check whether the zone exists: the zones change with the years. */
const stated = s
  .strictObject({
    days: s.array(s.words(WEEKDAYS)).min(1).max(WEEKDAYS.length).optional().describe(DAYS),
    from: localTime.describe(FROM),
    to: localTime.describe(TO),
    time_zone: s
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/, 'must be the name of a time zone')
      .describe('IANA name, e.g. `Europe/Zurich` or `UTC`.'),
  })
  .refine(
    (window) => window.days !== undefined || window.from !== undefined || window.to !== undefined,
    'must state days, from or to',
  )
  .refine(
    (window) => window.to === undefined || (window.from ?? '00:00') !== window.to,
    'can never match: from and to are the same',
  );

const shown = s.strictObject({
  days: s.array(s.words(WEEKDAYS)).optional().describe(DAYS),
  from: s.string().optional().describe(FROM),
  to: s.string().optional().describe(TO),
  time_zone: s.string().describe('IANA name.'),
});

export const time = {
  name: 'time',
  field: 'time',
  text: 'When the gateway received the request, in the local time of a place. Absent: any time.',
  stated,
  shown,
  keep: (window: s.OutputOf<typeof stated>): TimeWindow => ({
    ...(window.days !== undefined && { days: [...new Set(window.days)] }),
    ...(window.from !== undefined && { from: window.from }),
    ...(window.to !== undefined && { to: window.to }),
    timeZone: window.time_zone,
  }),
  show: (window: TimeWindow): s.InputOf<typeof shown> => ({
    ...(window.days !== undefined && { days: [...window.days] }),
    ...(window.from !== undefined && { from: window.from }),
    ...(window.to !== undefined && { to: window.to }),
    time_zone: window.timeZone,
  }),
  words: {
    form: 'time',
    label: 'Time',
    say: (window) =>
      `${window.days?.join(', ') ?? 'every day'}, ${window.from ?? '00:00'} to ${window.to ?? '24:00'}, ${window.time_zone}`,
  },
  turn: 'moment',
  test(window, { localTimeIn }) {
    const local = localTimeIn(window.timeZone);
    return local === undefined
      ? untold('the time zone is not known here')
      : heldIf(isInside(window, local));
  },
  /** Windows cover each other only if their zone and times are equal: a zone's clock is not known here. */
  covers: (wide, narrow: TimeWindow | undefined) =>
    narrow !== undefined &&
    wide.timeZone === narrow.timeZone &&
    wide.from === narrow.from &&
    wide.to === narrow.to &&
    (wide.days === undefined || (narrow.days !== undefined && isSubset(narrow.days, wide.days))),
} as const satisfies Condition<TimeWindow, typeof stated, typeof shown>;

export function isInside({ days, from = '00:00', to = '24:00' }: TimeWindow, local: LocalTime) {
  const isDay = (day: Weekday) => days?.includes(day) ?? true;
  if (from < to) return isDay(local.day) && from <= local.time && local.time < to;
  return local.time >= from ? isDay(local.day) : local.time < to && isDay(dayBefore(local.day));
}

function dayBefore(day: Weekday): Weekday {
  return WEEKDAYS.at(WEEKDAYS.indexOf(day) - 1)!;
}
