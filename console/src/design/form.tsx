/** Forms whose fields are bound to what they state by its name. */
import { createFormHook, createFormHookContexts } from '@tanstack/react-form';
import type { InputHTMLAttributes } from 'react';
import { Choice, type ChoiceProps } from './choice.js';
import { Choices, type ChoicesProps } from './choices.js';
import { Field } from './pieces.js';

const { fieldContext, formContext, useFieldContext } = createFormHookContexts();

export interface Labelled {
  readonly label: string;
}

export type TextProps = Labelled &
  Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'onChange'>;

function TextField({ label, ...input }: TextProps) {
  const { state, handleChange } = useFieldContext<string>();
  return (
    <Field label={label}>
      <input {...input} value={state.value} onChange={({ target }) => handleChange(target.value)} />
    </Field>
  );
}

function ChoiceField(props: Pick<ChoiceProps<string>, 'label' | 'options'>) {
  const { state, handleChange } = useFieldContext<string>();
  return <Choice {...props} value={state.value} onChange={handleChange} />;
}

/** Any of some things. */
function ChoicesField(props: Omit<ChoicesProps, 'chosen' | 'onChange'>) {
  const { state, handleChange } = useFieldContext<readonly string[]>();
  return <Choices {...props} chosen={state.value} onChange={handleChange} />;
}

function Tick({ label }: Labelled) {
  const { state, handleChange } = useFieldContext<boolean>();
  return (
    <label>
      <input
        type="checkbox"
        checked={state.value}
        onChange={({ target }) => handleChange(target.checked)}
      />{' '}
      {label}
    </label>
  );
}

export const { useAppForm, withForm } = createFormHook({
  fieldContext,
  formContext,
  fieldComponents: { TextField, ChoiceField, ChoicesField, Tick },
  formComponents: {},
});
export { useFieldContext };
