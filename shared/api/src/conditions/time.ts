import * as s from '@countersign/core/shapes.js';
import { WEEKDAYS, type Weekday } from '@countersign/core/vocabulary.js';
import type { Condition, LocalTime } from './condition.js';
import type { TimeWindow } from './kept-conditions.js';
import { FORMS } from './condition-forms.js';
import { heldIf, untold } from './tested.js';
import { isSubset } from './listed.js';

const TEXTS = {
  days: 'Days of the week on which the window begins. Absent: every day.',
  from: 'Local time, `HH:MM`, inclusive. Absent: 00:00.',
  to: 'Local time, `HH:MM`, exclusive; at or before `from` it is on the next day. Absent: the end of the day.',
} as const;

const shown = s.strictObject({
  days: s.array(s.words(WEEKDAYS)).optional().describe(TEXTS.days),
  from: s.string().optional().describe(TEXTS.from),
  to: s.string().optional().describe(TEXTS.to),
  time_zone: s.string().describe('IANA name.'),
});

export const time = {
  ...FORMS.time,
  text: 'When the gateway received the request, in the local time of a place. Absent: any time.',
  fieldTexts: { ...TEXTS, time_zone: 'IANA name, e.g. `Europe/Zurich` or `UTC`.' },
  shown,
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
} as const satisfies Condition<TimeWindow, typeof FORMS.time.stated, typeof shown>;

export function isInside({ days, from = '00:00', to = '24:00' }: TimeWindow, local: LocalTime) {
  const isDay = (day: Weekday) => days?.includes(day) ?? true;
  if (from < to) return isDay(local.day) && from <= local.time && local.time < to;
  return local.time >= from ? isDay(local.day) : local.time < to && isDay(dayBefore(local.day));
}

function dayBefore(day: Weekday): Weekday {
  return WEEKDAYS.at(WEEKDAYS.indexOf(day) - 1)!;
}
