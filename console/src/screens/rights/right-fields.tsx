/** A right as a form. */
import { withForm } from '../../design/form.js';
import { Quiet } from '../../design/pieces.js';
import { SubjectsChoice } from '../policies/subjects-choice.js';
import { canBeScoped, canWait, EMPTY_RIGHT, type RightForm } from './right-form.js';
import { RIGHT_NAMES, RIGHTS } from './right-words.js';
import type { Rights } from './use-rights.js';

interface RightFieldsProps {
  readonly stated: RightForm;
  readonly rights: Rights;
}

const NAMED_RIGHTS = Object.fromEntries(
  RIGHT_NAMES.map((action) => [action, `${RIGHTS[action]} (${action})`]),
);
const EFFECTS = { allow: 'These may', deny: 'These may not, whatever else allows it' };

export const RightFields = withForm({
  defaultValues: EMPTY_RIGHT,
  props: {} as RightFieldsProps,
  render: ({ form, form: { AppField }, stated, rights }) => (
    <>
      <AppField name="name">{(field) => <field.TextField label="Name" maxLength={128} />}</AppField>
      <AppField name="action">
        {(field) => <field.ChoiceField label="Right" options={NAMED_RIGHTS} />}
      </AppField>
      <AppField name="effect">
        {(field) => <field.ChoiceField label="Effect" options={EFFECTS} />}
      </AppField>
      <AppField name="who">
        {({ state, handleChange }) => (
          <SubjectsChoice
            label="Whom it is about"
            groups={rights.groups}
            chosen={state.value}
            onChange={handleChange}
          />
        )}
      </AppField>
      {canBeScoped(stated) && rights.vaults.length > 0 && (
        <AppField name="vaultIds">
          {(field) => (
            <field.ChoicesField
              label="In these vaults alone (none: in every vault)"
              options={new Map(rights.vaults.map(({ id, display_name: name }) => [id, name]))}
            />
          )}
        </AppField>
      )}
      {canWait(stated) ? (
        <WaitFields form={form} stated={stated} rights={rights} />
      ) : (
        <Quiet>Looking, freezing and what is denied never wait for approvals.</Quiet>
      )}
    </>
  ),
});

const WaitFields = withForm({
  defaultValues: EMPTY_RIGHT,
  props: {} as RightFieldsProps,
  render: ({ form: { AppField }, stated, rights }) => (
    <>
      <AppField name="quorum">
        {(field) => (
          <field.TextField label="Approvals of others (0: none)" type="number" min={0} max={100} />
        )}
      </AppField>
      {Number(stated.quorum) > 0 && (
        <AppField name="approvers">
          {({ state, handleChange }) => (
            <SubjectsChoice
              label="Who may approve"
              groups={rights.groups}
              chosen={state.value}
              onChange={handleChange}
            />
          )}
        </AppField>
      )}
      <AppField name="delayHours">
        {(field) => (
          <field.TextField
            label="Delay after the last approval, hours (0: none)"
            type="number"
            min={0}
            step="any"
          />
        )}
      </AppField>
    </>
  ),
});
