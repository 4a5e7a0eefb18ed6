/** One rule of a draft as a form. Nothing is sent: the draft is published as a whole. */
import type { ListWords } from '@countersign/api/conditions/condition-words.js';
import { useStore } from '@tanstack/react-form';
import { Button } from '../../design/button.js';
import { Choices } from '../../design/choices.js';
import { Dialog, DialogEnd } from '../../design/dialog.js';
import { useAppForm, withForm } from '../../design/form.js';
import { Field, Quiet, Row } from '../../design/pieces.js';
import { AddressListsChoice } from './address-lists-choice.js';
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
  /** As it is when the dialog opens. */
  readonly rule: RuleInput;
  readonly directory: Directory;
  /** At every change: whoever leaves the dialog finds in the draft what they wrote. */
  readonly onKeep: (rule: RuleInput) => void;
  readonly onClose: () => void;
}

export function RuleDialog({ rule, directory, onKeep, onClose }: RuleDialogProps) {
  const keep = (written: RuleForm) => {
    const groupIds = new Set(directory.groups.map(({ id }) => id));
    onKeep(ruleOf(written, groupIds, rule));
  };
  const form = useAppForm({
    defaultValues: formOf(rule),
    listeners: { onChange: ({ formApi }) => keep(formApi.state.values) },
  });
  const stated = useStore(form.store, ({ values }) => values);
  const { AppField } = form;
  const assets = assetsOfForm(stated);
  const undo = () => {
    form.reset();
    onKeep(rule);
  };
  return (
    <Dialog title="Rule" onClose={onClose}>
      <AppField name="name">{(field) => <field.TextField label="Name" maxLength={128} />}</AppField>
      <OutcomePart form={form} outcome={stated.outcome} directory={directory} />
      <LimitsPart form={form} outcome={stated.outcome} assets={assets} />
      {LIMITS.map(({ name, words }) => (
        <AppField key={name} name={`limits.${name}`}>
          {({ state, handleChange }) => (
            <LimitPart limit={state.value} words={words} assets={assets} onChange={handleChange} />
          )}
        </AppField>
      ))}
      <WhoPart form={form} who={stated.who} directory={directory} />
      <ConditionsPart form={form} />
      <AddressListParts form={form} directory={directory} />
      <DialogEnd>
        <Row>
          <Button kind="main" onPress={onClose}>
            Back to the draft
          </Button>
          <Button onPress={undo}>Undo what I changed here</Button>
        </Row>
        <Quiet>
          What you write is in the draft. Nothing changes in the vault until the draft is published.
        </Quiet>
      </DialogEnd>
    </Dialog>
  );
}

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  allow: 'Allow',
  deny: 'Deny',
  approvals: 'Ask for approvals',
};

const OutcomePart = withForm({
  defaultValues: {} as RuleForm,
  props: {} as Pick<RuleForm, 'outcome'> & Pick<RuleDialogProps, 'directory'>,
  render: ({ form: { AppField }, outcome, directory }) => (
    <>
      <AppField name="outcome">
        {(field) => <field.ChoiceField label="Then" options={OUTCOMES} />}
      </AppField>
      {outcome === 'approvals' && (
        <>
          <AppField name="quorum">
            {(field) => (
              <field.TextField label="How many approvals" type="number" min={1} max={100} />
            )}
          </AppField>
          <AppField name="approvers">
            {({ state, handleChange }) => (
              <SubjectsChoice
                label="Who may approve"
                groups={directory.groups}
                chosen={state.value}
                onChange={handleChange}
              />
            )}
          </AppField>
        </>
      )}
      <AppField name="isEnabled">{(field) => <field.Tick label="The rule is on" />}</AppField>
    </>
  ),
});

const WHO: Readonly<Record<Who, string>> = {
  unstated: 'Not said (of a rule that denies: everybody)',
  named: 'These users and groups',
  anyone: 'Anyone with a credential',
};

const WhoPart = withForm({
  defaultValues: {} as RuleForm,
  props: {} as Pick<RuleForm, 'who'> & Pick<RuleDialogProps, 'directory'>,
  render: ({ form: { AppField }, who, directory }) => (
    <>
      <AppField name="who">
        {(field) => <field.ChoiceField label="Who asks" options={WHO} />}
      </AppField>
      {who === 'named' && (
        <AppField name="initiators">
          {({ state, handleChange }) => (
            <SubjectsChoice
              label="Users and groups"
              groups={directory.groups}
              chosen={state.value}
              onChange={handleChange}
            />
          )}
        </AppField>
      )}
    </>
  ),
});

const ConditionsPart = withForm({
  defaultValues: {} as RuleForm,
  render: ({ form: { AppField } }) => (
    <>
      {LISTS.map(({ name, words }) => (
        <AppField key={name} name={`lists.${name}`}>
          {({ state, handleChange }) => (
            <ListPart name={name} words={words} text={state.value} onChange={handleChange} />
          )}
        </AppField>
      ))}
      {TIMES.map(({ name }) => (
        <AppField key={name} name={`times.${name}`}>
          {({ state, handleChange }) => <TimePart time={state.value} onChange={handleChange} />}
        </AppField>
      ))}
    </>
  ),
});

const AddressListParts = withForm({
  defaultValues: {} as RuleForm,
  props: {} as Pick<RuleDialogProps, 'directory'>,
  render: ({ form: { AppField }, directory }) => (
    <>
      {ADDRESS_LISTS.map(({ name, words: { label } }) => (
        <AppField key={name} name={`addressLists.${name}`}>
          {({ state, handleChange }) => (
            <AddressListsChoice
              label={`${label} of the address book (none: any)`}
              addressLists={directory.addressLists}
              chosen={state.value}
              onChange={handleChange}
            />
          )}
        </AppField>
      ))}
    </>
  ),
});

interface ListPartProps {
  readonly name: string;
  readonly words: ListWords;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

function ListPart({ name, words: { label, entries }, text, onChange }: ListPartProps) {
  const { data: catalogue } = useRead('get-system-info', {});
  const known = catalogueWords(catalogue)[name];
  if (typeof entries !== 'string') {
    return (
      <Choices
        label={`${label} (none: ${entries.none})`}
        options={optionsOf(entries)}
        chosen={wordsOf(text)}
        onChange={(words) => onChange(words.join('\n'))}
      />
    );
  }
  return (
    <>
      <Field label={`${label} (${entries}; one to a line; none: any)`}>
        <textarea rows={2} value={text} onChange={({ target }) => onChange(target.value)} />
      </Field>
      {known !== undefined && (
        <SearchChoice
          label={`Find ${label.toLowerCase()} to add`}
          options={Object.fromEntries(known)}
          value={undefined}
          onChange={(word) => word !== undefined && onChange(withWord(text, word))}
          empty="None of these is known here."
        />
      )}
    </>
  );
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
const LimitsPart = withForm({
  defaultValues: {} as RuleForm,
  props: {} as Pick<RuleForm, 'outcome'> & { readonly assets: NamedAssets },
  render: ({ form: { AppField }, outcome, assets }) => (
    <fieldset className={styles.limits}>
      <legend>Limits of one request (empty: none)</legend>
      <Quiet>
        {BEYOND[outcome]} it falls through to the next rule that fits, and is denied where none
        does.
      </Quiet>
      {BOUNDS.map(({ name, words: { label, unit, remark } }) => (
        <div key={name} className={styles.limit}>
          <AppField name={`bounds.${name}.min`}>
            {(field) => <field.TextField label={`${label}, at least`} />}
          </AppField>
          <AppField name={`bounds.${name}.max`}>
            {(field) => <field.TextField label={`${label}, at most`} />}
          </AppField>
          <span>
            <strong>{visibleText(unitOf(unit, assets))}</strong>
            {remark !== undefined && ` (${remark})`}
          </span>
        </div>
      ))}
    </fieldset>
  ),
});

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
