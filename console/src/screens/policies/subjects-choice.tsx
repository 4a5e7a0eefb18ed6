/** Users and groups, found by a part of their name. */
import { useState } from 'react';
import { Choices } from '../../design/choices.js';
import { NameSearch } from '../../design/name-search.js';
import { useUsersById, useUsersNamed, type Subject } from './policy-queries.js';

interface SubjectsChoiceProps {
  readonly label: string;
  readonly groups: readonly Subject[];
  readonly chosen: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
}

/**
 * Who was chosen before comes first, and chosen ones stay in the list, whatever is looked for; who is not known any more
 * is shown by their id.
 */
export function SubjectsChoice({ label, groups, chosen, onChange }: SubjectsChoiceProps) {
  const [part, setPart] = useState('');
  const [first] = useState(chosen);
  const found = useUsersNamed(part.trim());
  const named = useUsersById(chosen);
  const wanted = part.trim().toLowerCase();
  const names = new Map([
    ...groups
      .filter(
        ({ id, display_name: name }) => chosen.includes(id) || name.toLowerCase().includes(wanted),
      )
      .map(({ id, display_name: name }) => [id, `Group ${name}`] as const),
    ...[...found, ...named].map(({ id, display_name: name }) => [id, name] as const),
  ]);
  const all = new Set([...first, ...names.keys()]);
  const options = new Map([...all].map((id) => [id, names.get(id) ?? id]));
  return (
    <Choices label={label} options={options} chosen={chosen} onChange={onChange}>
      <NameSearch part={part} onChange={setPart} />
    </Choices>
  );
}
