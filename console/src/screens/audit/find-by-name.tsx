/** Puts the id of a key, user or vault into the filters, found by its name. */
import { useState } from 'react';
import { Choice } from '../../design/choice.js';
import { Quiet, Row } from '../../design/pieces.js';
import { KeyName, UserName, VaultName } from '../../vault/names.js';
import { TargetChoice, type ChosenTarget } from '../freezes/target-choice.js';
import { idsIn, withSubject, type AuditFilters, type SubjectScope } from './audit-filters.js';

interface FindByNameProps {
  readonly form: AuditFilters;
  readonly set: (change: Partial<AuditFilters>) => void;
}

const SCOPES: Readonly<Record<SubjectScope, string>> = {
  key: 'A key',
  user: 'A bot or person',
  vault: 'A vault',
};

export function FindByName({ form, set }: FindByNameProps) {
  const [scope, setScope] = useState<SubjectScope>();
  const add = (target: ChosenTarget | undefined) => {
    if (target === undefined || scope === undefined) return;
    set(withSubject(form, scope, target.id));
  };
  return (
    <>
      <Row>
        <Choice label="Find by name" options={SCOPES} value={scope} onChange={setScope} />
        {scope !== undefined && <TargetChoice key={scope} scope={scope} onChoose={add} />}
      </Row>
      <ChosenNames form={form} />
    </>
  );
}

/** What the ids in the filters are called. */
function ChosenNames({ form }: Pick<FindByNameProps, 'form'>) {
  const names = [
    ...idsIn(form.key_ids).map((id) => ({ id, what: 'key', name: <KeyName id={id} /> })),
    ...idsIn(form.user_ids).map((id) => ({ id, what: 'user', name: <UserName id={id} /> })),
    ...idsIn(form.vault_ids).map((id) => ({ id, what: 'vault', name: <VaultName id={id} /> })),
  ];
  if (names.length === 0) return null;
  return (
    <Quiet>
      These filters are about{' '}
      {names.map(({ id, what, name }, place) => (
        <span key={id}>
          {place > 0 && ', '}
          {what} {name}
        </span>
      ))}
      .
    </Quiet>
  );
}
