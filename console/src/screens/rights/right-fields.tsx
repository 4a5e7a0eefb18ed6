/** A right as a form. */
import { Choice } from '../../design/choice.js';
import { Choices } from '../../design/choices.js';
import { Field, Quiet } from '../../design/pieces.js';
import { SubjectsChoice } from '../policies/subjects-choice.js';
import { canBeScoped, canWait, type RightForm } from './right-form.js';
import { RIGHT_NAMES, RIGHTS } from './right-words.js';
import type { Rights } from './use-rights.js';

interface RightFieldsProps {
  readonly form: RightForm;
  readonly set: (change: Partial<RightForm>) => void;
  readonly rights: Rights;
}

export function RightFields({ form, set, rights }: RightFieldsProps) {
  return (
    <>
      <Field label="Name">
        <input
          value={form.name}
          maxLength={128}
          onChange={({ target }) => set({ name: target.value })}
        />
      </Field>
      <WhatFields form={form} set={set} />
      <SubjectsChoice
        label="Whom it is about"
        groups={rights.groups}
        chosen={form.who}
        onChange={(who) => set({ who })}
      />
      {canBeScoped(form) && rights.vaults.length > 0 && (
        <Choices
          label="In these vaults alone (none: in every vault)"
          options={new Map(rights.vaults.map(({ id, display_name: name }) => [id, name]))}
          chosen={form.vaultIds}
          onChange={(vaultIds) => set({ vaultIds })}
        />
      )}
      {canWait(form) ? (
        <WaitFields form={form} set={set} rights={rights} />
      ) : (
        <Quiet>Looking, freezing and what is denied never wait for approvals.</Quiet>
      )}
    </>
  );
}

const NAMED_RIGHTS = Object.fromEntries(
  RIGHT_NAMES.map((action) => [action, `${RIGHTS[action]} (${action})`]),
) as Record<RightForm['action'], string>;
const EFFECTS = { allow: 'These may', deny: 'These may not, whatever else allows it' } as const;

function WhatFields({ form, set }: Omit<RightFieldsProps, 'rights'>) {
  return (
    <>
      <Choice
        label="Right"
        options={NAMED_RIGHTS}
        value={form.action}
        onChange={(action) => set({ action })}
      />
      <Choice
        label="Effect"
        options={EFFECTS}
        value={form.effect}
        onChange={(effect) => set({ effect })}
      />
    </>
  );
}

function WaitFields({ form, set, rights }: RightFieldsProps) {
  return (
    <>
      <Field label="Approvals of others (0: none)">
        <input
          type="number"
          min={0}
          max={100}
          value={form.quorum}
          onChange={({ target }) => set({ quorum: target.value })}
        />
      </Field>
      {Number(form.quorum) > 0 && (
        <SubjectsChoice
          label="Who may approve"
          groups={rights.groups}
          chosen={form.approvers}
          onChange={(approvers) => set({ approvers })}
        />
      )}
      <Field label="Delay after the last approval, hours (0: none)">
        <input
          type="number"
          min={0}
          step="any"
          value={form.delayHours}
          onChange={({ target }) => set({ delayHours: target.value })}
        />
      </Field>
    </>
  );
}
