/** When a rule holds. */
import { WEEKDAYS, type Weekday } from '@countersign/core/vocabulary.js';
import { Choices } from '../../design/choices.js';
import { Field } from '../../design/pieces.js';
import { SearchChoice } from '../../design/search-choice.js';
import styles from './policies.module.css';
import type { TimeForm } from './time-form.js';

interface TimePartProps {
  readonly time: TimeForm;
  readonly onChange: (time: TimeForm) => void;
}

const DAYS = new Map<string, string>([
  ...([
    ['mon', 'Monday'],
    ['tue', 'Tuesday'],
    ['wed', 'Wednesday'],
    ['thu', 'Thursday'],
    ['fri', 'Friday'],
    ['sat', 'Saturday'],
    ['sun', 'Sunday'],
  ] satisfies [Weekday, string][]),
]);

const ZONES = Object.fromEntries(
  ['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => [zone, zone]),
);

export function TimePart({ time, onChange }: TimePartProps) {
  const set = (change: Partial<TimeForm>) => onChange({ ...time, ...change });
  return (
    <fieldset className={styles.limits}>
      <legend>Time at which the gateway receives the request (empty: any)</legend>
      <Choices
        label="Days (none: every day)"
        options={DAYS}
        chosen={time.days}
        onChange={(days) => set({ days: WEEKDAYS.filter((day) => days.includes(day)) })}
      />
      <div className={styles.limit}>
        <Field label="From">
          <input
            type="time"
            value={time.from}
            onChange={({ target }) => set({ from: target.value })}
          />
        </Field>
        <Field label="Until">
          <input type="time" value={time.to} onChange={({ target }) => set({ to: target.value })} />
        </Field>
        <SearchChoice
          label="Time zone, such as Europe/Zurich"
          options={ZONES}
          value={time.zone}
          onChange={(zone = '') => set({ zone })}
          empty="There is no such time zone."
        />
      </div>
    </fieldset>
  );
}
