/** When a rule holds. */
import { useId } from 'react';
import { WEEKDAYS, type Weekday } from '@countersign/core/vocabulary.js';
import { Choices } from '../../design/choices.js';
import { Field } from '../../design/pieces.js';
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

const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone')];

export function TimePart({ time, onChange }: TimePartProps) {
  const zonesId = useId();
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
        <Field label="Time zone, such as Europe/Zurich">
          <input
            list={zonesId}
            value={time.zone}
            onChange={({ target }) => set({ zone: target.value })}
          />
        </Field>
      </div>
      <datalist id={zonesId}>
        {ZONES.map((zone) => (
          <option key={zone} value={zone}>
            {zone}
          </option>
        ))}
      </datalist>
    </fieldset>
  );
}
