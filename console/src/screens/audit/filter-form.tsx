/** Filters of the audit log, and those that were saved in this browser. */
import { useState, type SubmitEvent } from 'react';
import { Button } from '../../design/button.js';
import { Choice } from '../../design/choice.js';
import { Disclosure, Field, Panel, Row } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import {
  keepFilters,
  keptFilters,
  NO_FILTERS,
  ofLastDays,
  OUTCOMES,
  withSaved,
  type AuditFilters,
} from './audit-filters.js';
import styles from './audit.module.css';
import { FindByName } from './find-by-name.js';

interface FilterFormProps {
  readonly filters: AuditFilters;
  readonly onApply: (filters: AuditFilters) => void;
}

/** For whoever has them from elsewhere. */
const IDS = {
  user_ids: 'Ids of users',
  key_ids: 'Ids of keys',
  vault_ids: 'Ids of vaults',
  wallet_addresses: 'Addresses of wallets',
  actions: 'Actions, e.g. create-user',
  request_id: 'Request id',
} as const;

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const MOMENTS = { from: `From (${ZONE})`, to: `To (${ZONE})` } as const;
/** Days back, and what a button says. */
const SPANS: readonly (readonly [number, string])[] = [
  [1, 'The last 24 hours'],
  [7, 'The last 7 days'],
];

export function FilterForm({ filters, onApply }: FilterFormProps) {
  const [form, setForm] = useState(filters);
  const set = (change: Partial<AuditFilters>) => setForm({ ...form, ...change });
  const use = (chosen: AuditFilters) => {
    setForm(chosen);
    onApply(chosen);
  };
  // what is typed beside it waits for “Find”
  const choose = (change: Partial<AuditFilters>) => {
    set(change);
    onApply({ ...filters, ...change });
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onApply(form);
  };
  return (
    <Panel title="Filters">
      <form className={styles.form} onSubmit={submit}>
        <FindByName form={form} choose={choose} />
        <FilterFields form={form} set={set} choose={choose} />
        <Row>
          <Button kind="main" type="submit">
            Find
          </Button>
          <Button onPress={() => use(NO_FILTERS)}>Clear</Button>
          {SPANS.map(([days, label]) => (
            <Button key={days} onPress={() => use({ ...form, ...spanOf(days) })}>
              {label}
            </Button>
          ))}
        </Row>
      </form>
      <SavedRow form={form} onUse={use} />
    </Panel>
  );
}

const spanOf = (days: number) => ofLastDays(days, Date.now(), new Date().getTimezoneOffset());

interface FilterFieldsProps {
  readonly form: AuditFilters;
  /** As it is typed. */
  readonly set: (change: Partial<AuditFilters>) => void;
  /** Looked for at once. */
  readonly choose: (change: Partial<AuditFilters>) => void;
}

function FilterFields({ form, set, choose }: FilterFieldsProps) {
  return (
    <>
      <Row>
        <Choice
          label="Outcome"
          options={Object.fromEntries(OUTCOMES.map((outcome) => [outcome, outcome || 'any']))}
          value={form.outcome}
          onChange={(outcome) => choose({ outcome })}
        />
        {Object.entries(MOMENTS).map(([name, label]) => (
          <Field key={name} label={label}>
            <input
              type="datetime-local"
              value={form[name as keyof typeof MOMENTS]}
              onChange={({ target }) => set({ [name]: target.value })}
            />
          </Field>
        ))}
      </Row>
      <Disclosure title="Find by ids">
        <Row>
          {Object.entries(IDS).map(([name, label]) => (
            <Field key={name} label={label}>
              <input
                value={form[name as keyof typeof IDS]}
                onChange={({ target }) => set({ [name]: target.value })}
              />
            </Field>
          ))}
        </Row>
      </Disclosure>
    </>
  );
}

interface SavedRowProps {
  readonly form: AuditFilters;
  readonly onUse: (filters: AuditFilters) => void;
}

function SavedRow({ form, onUse }: SavedRowProps) {
  const [saved, setSaved] = useState(keptFilters);
  const [name, setName] = useState('');
  const save = () => {
    const all = withSaved(saved, { name: name.trim(), filters: form });
    keepFilters(all);
    setSaved(all);
    setName('');
  };
  return (
    <Row>
      {saved.map((one) => (
        <Button key={one.name} onPress={() => onUse(one.filters)}>
          {visibleText(one.name)}
        </Button>
      ))}
      <Field label="Name for these filters">
        <input value={name} maxLength={64} onChange={({ target }) => setName(target.value)} />
      </Field>
      <Button
        disabledBecause={name.trim() === '' ? 'Give the filters a name to save them.' : undefined}
        onPress={save}
      >
        Save in this browser
      </Button>
    </Row>
  );
}
