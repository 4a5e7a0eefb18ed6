/** One rule of a draft as a form. Nothing is sent: the draft is published as a whole. */
import { Fragment, useState } from 'react';
import { Button } from '../../design/button.js';
import { Choice } from '../../design/choice.js';
import { Choices } from '../../design/choices.js';
import { Dialog, DialogEnd } from '../../design/dialog.js';
import { NameSearch } from '../../design/name-search.js';
import { Field, Quiet, Row } from '../../design/pieces.js';
import { catalogueWords, withWord } from './catalogue-words.js';
import { LimitPart } from './limit-part.js';
import type { RuleInput } from './policy-draft.js';
import type { Directory } from './policy-queries.js';
import { SubjectsChoice } from './subjects-choice.js';
import styles from './policies.module.css';
import {
  BOUNDS,
  ADDRESS_LISTS,
  formOf,
  LIMITS,
  LISTS,
  NO_BOUNDS,
  TIMES,
  ruleOf,
  wordsOf,
  type Outcome,
  type RuleForm,
  type Who,
} from './rule-fields.js';
import { assetsOfRule, unitOf, type NamedAssets, type When } from './rule-units.js';
import { visibleText } from '../../design/visible-text.js';
import { SearchChoice } from '../../design/search-choice.js';
import { useRead } from '../../vault/vault-queries.js';
import { TimePart } from './time-part.js';

interface RuleDialogProps {
  readonly rule: RuleInput;
  readonly directory: Directory;
  readonly onKeep: (rule: RuleInput) => void;
  readonly onClose: () => void;
}

interface PartProps {
  readonly form: RuleForm;
  readonly set: (change: Partial<RuleForm>) => void;
}

export function RuleDialog({ rule, directory, onKeep, onClose }: RuleDialogProps) {
  const [form, setForm] = useState(() => formOf(rule));
  const set = (change: Partial<RuleForm>) => setForm({ ...form, ...change });
  const keep = () => {
    const groupIds = new Set(directory.groups.map(({ id }) => id));
    onKeep(ruleOf(form, groupIds, rule));
    onClose();
  };
  return (
    <Dialog title="Rule" onClose={onClose}>
      <Field label="Name">
        <input
          value={form.name}
          maxLength={128}
          onChange={({ target }) => set({ name: target.value })}
        />
      </Field>
      <OutcomePart form={form} set={set} directory={directory} />
      <LimitsPart form={form} set={set} />
      {LIMITS.map(({ name, words }) => (
        <LimitPart
          key={name}
          limit={form.limits[name]!}
          words={words}
          assets={assetsOfForm(form)}
          onChange={(limit) => set({ limits: { ...form.limits, [name]: limit } })}
        />
      ))}
      <WhoPart form={form} set={set} directory={directory} />
      <ConditionsPart form={form} set={set} />
      <AddressListsPart form={form} set={set} directory={directory} />
      <DialogEnd>
        <Row>
          <Button kind="main" onPress={keep}>
            Keep in the draft
          </Button>
        </Row>
        <Quiet>Nothing changes in the vault until the draft is published.</Quiet>
      </DialogEnd>
    </Dialog>
  );
}

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  allow: 'Allow',
  deny: 'Deny',
  approvals: 'Ask for approvals',
};

type DirectoryPartProps = PartProps & { readonly directory: Directory };

function OutcomePart({ form, set, directory }: DirectoryPartProps) {
  return (
    <>
      <Choice
        label="Then"
        options={OUTCOMES}
        value={form.outcome}
        onChange={(outcome) => set({ outcome })}
      />
      {form.outcome === 'approvals' && (
        <>
          <Field label="How many approvals">
            <input
              type="number"
              min={1}
              max={100}
              value={form.quorum}
              onChange={({ target }) => set({ quorum: target.value })}
            />
          </Field>
          <SubjectsChoice
            label="Who may approve"
            groups={directory.groups}
            chosen={form.approvers}
            onChange={(approvers) => set({ approvers })}
          />
        </>
      )}
      <label>
        <input
          type="checkbox"
          checked={form.isEnabled}
          onChange={({ target }) => set({ isEnabled: target.checked })}
        />{' '}
        The rule is on
      </label>
    </>
  );
}

const WHO: Readonly<Record<Who, string>> = {
  unstated: 'Not said (of a rule that denies: everybody)',
  named: 'These users and groups',
  anyone: 'Anyone with a credential',
};

function WhoPart({ form, set, directory }: DirectoryPartProps) {
  return (
    <>
      <Choice label="Who asks" options={WHO} value={form.who} onChange={(who) => set({ who })} />
      {form.who === 'named' && (
        <SubjectsChoice
          label="Users and groups"
          groups={directory.groups}
          chosen={form.initiators}
          onChange={(initiators) => set({ initiators })}
        />
      )}
    </>
  );
}

function ConditionsPart({ form, set }: PartProps) {
  const { data: catalogue } = useRead('get-system-info', {});
  const known = catalogueWords(catalogue);
  const setList = (name: string, value: string) => set({ lists: { ...form.lists, [name]: value } });
  return (
    <>
      {LISTS.map(({ name, words: { label, entries } }) =>
        typeof entries === 'string' ? (
          <Fragment key={name}>
            <Field label={`${label} (${entries}; one to a line; none: any)`}>
              <textarea
                rows={2}
                value={form.lists[name]}
                onChange={({ target }) => setList(name, target.value)}
              />
            </Field>
            {known[name] !== undefined && (
              <SearchChoice
                label={`Find ${label.toLowerCase()} to add`}
                options={Object.fromEntries(known[name])}
                value={undefined}
                onChange={(word) =>
                  word !== undefined && setList(name, withWord(form.lists[name], word))
                }
                empty="None of these is known here."
              />
            )}
          </Fragment>
        ) : (
          <Choices
            key={name}
            label={`${label} (none: ${entries.none})`}
            options={optionsOf(entries)}
            chosen={wordsOf(form.lists[name])}
            onChange={(words) => setList(name, words.join('\n'))}
          />
        ),
      )}
      {TIMES.map(({ name }) => (
        <TimePart
          key={name}
          time={form.times[name]!}
          onChange={(time) => set({ times: { ...form.times, [name]: time } })}
        />
      ))}
    </>
  );
}

/** The address book, all of it, by name. */
function AddressListsPart({ form, set, directory: { addressLists } }: DirectoryPartProps) {
  const [part, setPart] = useState('');
  const wanted = part.trim().toLowerCase();
  return ADDRESS_LISTS.map(({ name, words: { label } }) => {
    const chosen = form.addressLists[name] ?? [];
    const found = addressLists.filter(
      ({ id, display_name: text }) => chosen.includes(id) || text.toLowerCase().includes(wanted),
    );
    return (
      <Choices
        key={name}
        label={`${label} of the address book (none: any)`}
        options={new Map(found.map(({ id, display_name: text }) => [id, text]))}
        chosen={chosen}
        onChange={(ids) => set({ addressLists: { ...form.addressLists, [name]: ids } })}
      >
        {addressLists.length === 0 ? (
          <Quiet>There is no list yet: make one under “Address book”.</Quiet>
        ) : (
          <NameSearch part={part} onChange={setPart} />
        )}
      </Choices>
    );
  });
}

interface KnownWords {
  readonly known: readonly string[];
  readonly meanings?: Readonly<Partial<Record<string, string>>>;
}

function optionsOf({ known, meanings = {} }: KnownWords): ReadonlyMap<string, string> {
  return new Map(
    known.map((word) => {
      const meaning = meanings[word];
      return [word, meaning === undefined ? word : `${word}: ${meaning}`];
    }),
  );
}

const BEYOND: Readonly<Record<Outcome, string>> = {
  allow: 'A larger one is not denied by this rule:',
  approvals: 'Of a larger one this rule asks for no approval:',
  deny: 'This rule denies only what is within these limits. Of all else:',
};

/** How much, and what becomes of more. */
function LimitsPart({ form, set }: PartProps) {
  const assets = assetsOfForm(form);
  return (
    <fieldset className={styles.limits}>
      <legend>Limits of one request (empty: none)</legend>
      <Quiet>
        {BEYOND[form.outcome]} it falls through to the next rule that fits, and is denied where none
        does.
      </Quiet>
      {BOUNDS.map(({ name, words }) => {
        const { label, remark } = words;
        const bounds = form.bounds[name] ?? NO_BOUNDS;
        const change = (part: { min?: string; max?: string }) =>
          set({ bounds: { ...form.bounds, [name]: { ...bounds, ...part } } });
        return (
          <div key={name} className={styles.limit}>
            <Field label={`${label}, at least`}>
              <input value={bounds.min} onChange={({ target }) => change({ min: target.value })} />
            </Field>
            <Field label={`${label}, at most`}>
              <input value={bounds.max} onChange={({ target }) => change({ max: target.value })} />
            </Field>
            <span>
              <strong>{visibleText(unitOf(words.unit, assets))}</strong>
              {remark !== undefined && ` (${remark})`}
            </span>
          </div>
        );
      })}
    </fieldset>
  );
}

/** By what is in the form now. */
function assetsOfForm({ lists }: RuleForm): NamedAssets {
  const stated = (field: keyof When) => {
    const words = wordsOf(lists[field]);
    return words.length === 0 ? undefined : words;
  };
  return assetsOfRule({
    symbols: stated('symbols'),
    venue_ids: stated('venue_ids'),
    operation_classes: stated('operation_classes') as When['operation_classes'],
  });
}
