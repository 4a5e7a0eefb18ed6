/** Finds rows by a part of their name. */
import { Field } from './pieces.js';

interface NameSearchProps {
  readonly part: string;
  readonly onChange: (part: string) => void;
}

export function NameSearch({ part, onChange }: NameSearchProps) {
  return (
    <Field label="Part of a name">
      <input
        type="search"
        value={part}
        maxLength={128}
        onChange={({ target }) => onChange(target.value)}
      />
    </Field>
  );
}
